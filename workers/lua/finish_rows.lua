-- Remove a batch that was delivered, and give up the lease. ARGV: output, member of the queues, rows of a full batch,
-- seconds that a row waits at most, now, holder, id of the batch -> 1, or 0 if the lease is lost
local output = ARGV[1]
local list, queue = k_rows .. ':' .. output, k_queue .. ':' .. output
local holder, id, rows = unpack(redis.call('HMGET', queue, 'holder', 'batch', 'batch_rows'))
if holder ~= ARGV[6] or id ~= ARGV[7] then return 0 end
local bytes, count = 0, 0
for _, entry in ipairs(redis.call('LRANGE', list, 0, rows - 1)) do bytes, count = bytes + #entry, count + 1 end
redis.call('LTRIM', list, rows, -1)
if count > 0 then count_queued(-count, -bytes) end
redis.call('HDEL', queue, 'holder', 'lease_end', 'batch', 'batch_rows', 'failures', 'not_before', 'problem',
  'problem_since')
schedule_rows(output, ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]))
return 1
