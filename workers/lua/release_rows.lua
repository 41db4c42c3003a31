-- Give up the lease of an output's rows: since its process stops or died, or after a failure; then the problem is noted,
-- and the pause grows with each failure. ARGV: output, member of the queues, now, holder; after a failure also the
-- problem, first pause, longest pause, pause that the output asks for (seconds)
-- -> the pause in seconds, or false if the lease is lost
local queue = k_queue .. ':' .. ARGV[1]
if redis.call('HGET', queue, 'holder') ~= ARGV[4] then return false end
local now, pause = tonumber(ARGV[3]), 0
if ARGV[5] then
  local failures = redis.call('HINCRBY', queue, 'failures', 1)
  pause = math.min(tonumber(ARGV[6]) * 2 ^ math.min(failures - 1, 30), tonumber(ARGV[7]))
  pause = math.max(pause, tonumber(ARGV[8]))
  redis.call('HSETNX', queue, 'problem_since', now)
  redis.call('HSET', queue, 'problem', ARGV[5], 'not_before', now + pause)
end
redis.call('HDEL', queue, 'holder')
redis.call('ZADD', ROW_QUEUES, 'XX', now + pause, ARGV[2])
return tostring(pause)
