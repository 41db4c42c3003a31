-- Extend the lease of an output's rows. ARGV: output, member of the queues, holder, lease's end -> 1, or 0 if it is lost
local queue = k_queue .. ':' .. ARGV[1]
if redis.call('HGET', queue, 'holder') ~= ARGV[3] then return 0 end
redis.call('HSET', queue, 'lease_end', ARGV[4])
redis.call('ZADD', ROW_QUEUES, 'XX', ARGV[4], ARGV[2])
return 1
