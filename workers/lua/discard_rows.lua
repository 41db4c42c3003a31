-- Remove all rows that wait for an output, which the task has no more. ARGV: output, member of the queues, holder
-- -> how many, or 0 if the lease is lost
local list, queue = k_rows .. ':' .. ARGV[1], k_queue .. ':' .. ARGV[1]
if redis.call('HGET', queue, 'holder') ~= ARGV[3] then return 0 end
local bytes, rows = 0, redis.call('LLEN', list)
for i = 0, rows - 1 do bytes = bytes + #redis.call('LINDEX', list, i) end
if rows > 0 then count_queued(-rows, -bytes) end
redis.call('DEL', list, queue)
redis.call('ZREM', ROW_QUEUES, ARGV[2])
return rows
