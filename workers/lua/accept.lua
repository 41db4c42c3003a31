-- A rejected URL waits again. ARGV: fingerprint, record without its day, rank, bucket, slot -> 1, or 0 if not rejected
local name = ARGV[1]
local code = redis.call('HGET', ARGV[4], ARGV[5])
if not code or string.sub(code, 1, 1) ~= letter_of.rejected then return 0 end
local record = cjson.decode(ARGV[2])
record.day = string.sub(code, 2, 5)
redis.call('HDEL', ARGV[4], ARGV[5])
count('rejected', -1)
count_of_day(record.day, 'rejected', -1)
redis.call('HSET', k_open, name, cjson.encode(record))
redis.call('ZADD', k_waiting, ARGV[3], name)
return 1
