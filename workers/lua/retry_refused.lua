-- Queue a refused row for its output again. ARGV: output, member of the queues, rows of a full batch, seconds that a row
-- waits at most, now, number of the row -> 1, or 0 if it is not kept any more
local refused = k_refused .. ':' .. ARGV[1]
local value = redis.call('HGET', refused, ARGV[6])
if not value then return 0 end
queue_row(ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), '1',
  string.sub(value, string.find(value, '\n', 1, true) + 1))
redis.call('HDEL', refused, ARGV[6])
redis.call('ZREM', refused .. ':at', ARGV[6])
if redis.call('EXISTS', refused) == 0 then redis.call('ZREM', REFUSING, ARGV[2]) end
return 1
