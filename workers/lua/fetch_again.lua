-- A URL in a final state waits again. ARGV: fingerprint, record without its day, rank, bucket, slot, the state
-- -> 1, or 0 if it is not in that state
local name, state = ARGV[1], ARGV[6]
local code = redis.call('HGET', ARGV[4], ARGV[5])
if not code or string.sub(code, 1, 1) ~= letter_of[state] then return 0 end
local record = cjson.decode(ARGV[2])
record.day = string.sub(code, 2, 5)
redis.call('HDEL', ARGV[4], ARGV[5])
count(state, -1)
count_of_day(record.day, state, -1)
redis.call('HSET', k_open, name, cjson.encode(record))
redis.call('ZADD', k_waiting, ARGV[3], name)
return 1
