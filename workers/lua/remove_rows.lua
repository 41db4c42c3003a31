-- Remove rows of an output, and give up the lease: a batch that was delivered, or all, since the task has the output no
-- more. ARGV: output, member of the queues, rows of a full batch, seconds that a row waits at most, now, holder, id of
-- the batch ('': all rows) -> how many, or false if the lease is lost
local output, is_all, READ_AT_ONCE = ARGV[1], ARGV[7] == '', 200
local list, queue = k_rows .. ':' .. output, k_queue .. ':' .. output
local holder, id, rows = unpack(redis.call('HMGET', queue, 'holder', 'batch', 'batch_rows'))
if holder ~= ARGV[6] or not is_all and id ~= ARGV[7] then return false end
if is_all then rows = redis.call('LLEN', list) end
local bytes, count = 0, 0
for first = 0, rows - 1, READ_AT_ONCE do
  local entries = redis.call('LRANGE', list, first, math.min(first + READ_AT_ONCE, rows) - 1)
  for _, entry in ipairs(entries) do bytes, count = bytes + #entry, count + 1 end
end
redis.call('LTRIM', list, rows, -1)
if count > 0 then count_queued(-count, -bytes) end
if is_all then
  redis.call('DEL', queue)
else
  redis.call('HDEL', queue, 'holder', 'batch', 'batch_rows', 'failures', 'not_before', 'problem', 'problem_since')
end
schedule_rows(output, ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]))
return count
