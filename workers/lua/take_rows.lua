-- Lease the rows of an output, and take the next batch: the one that was begun, else the oldest rows.
-- ARGV: output, member of the queues, rows of a full batch, seconds that a row waits at most, now, holder, lease's end,
-- id of a new batch, bytes of a batch at most, 'due', 'now' (rows that wait are due) or 'always' (also after a failure)
-- -> false if nothing is due, or another process has the lease; else id, '1' if the batch was begun before, the present
-- epoch, entry …
local output, member, full_at, wait, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local READ_AT_ONCE = 200
local list, queue = k_rows .. ':' .. output, k_queue .. ':' .. output
local holder, failures, id, rows = unpack(redis.call('HMGET', queue, 'holder', 'failures', 'batch', 'batch_rows'))
-- The end of the lease, or of the pause after a failure; not from the hash, since this one follows Redis' clock
local is_due = tonumber(redis.call('ZSCORE', ROW_QUEUES, member) or 0) <= now
if holder and holder ~= ARGV[6] and not is_due then return false end
if ARGV[10] ~= 'always' and failures and not holder and not is_due then return false end
local oldest = oldest_row(output)
if not oldest then
  redis.call('ZREM', ROW_QUEUES, member)
  redis.call('HDEL', queue, 'holder', 'batch', 'batch_rows')
  return false
end
local is_begun = id and '1' or '0'
if not id then
  local due_at, longest = limits(full_at, wait)
  if ARGV[10] == 'due' and redis.call('LLEN', list) < due_at and oldest <= now and oldest + longest > now then
    schedule_rows(output, member, full_at, wait, now)
    return false
  end
  id, rows = ARGV[8], 0
  local bytes, is_full = 0, false
  repeat
    local entries = redis.call('LRANGE', list, rows, math.min(rows + READ_AT_ONCE, full_at) - 1)
    for _, entry in ipairs(entries) do
      bytes = bytes + #entry
      is_full = rows > 0 and bytes > tonumber(ARGV[9])
      if is_full then break end
      rows = rows + 1
    end
  until is_full or rows >= full_at or #entries < READ_AT_ONCE
  redis.call('HSET', queue, 'batch', id, 'batch_rows', rows)
end
redis.call('HSET', queue, 'holder', ARGV[6])
redis.call('ZADD', ROW_QUEUES, ARGV[7], member)
local answer = {id, is_begun, redis.call('HGET', EPOCH, 'id') or '-'}
for _, entry in ipairs(redis.call('LRANGE', list, 0, rows - 1)) do answer[#answer + 1] = entry end
return answer
