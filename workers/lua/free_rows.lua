-- End the lease of a process on an output's rows: it died, or stops. ARGV: output, member of the queues, now, holder
-- -> 1, or 0 if it has no lease
local queue = k_queue .. ':' .. ARGV[1]
if redis.call('HGET', queue, 'holder') ~= ARGV[4] then return 0 end
redis.call('HDEL', queue, 'holder', 'lease_end')
redis.call('ZADD', ROW_QUEUES, 'XX', ARGV[3], ARGV[2])
return 1
