-- Functions for the scripts that change row queues (`workers.writing.row_queue`).
local function count_queued(rows, bytes) count_waiting({k_queued, ALL_QUEUED}, 'rows', rows, bytes) end
-- Rows of a full batch, and seconds that a row waits at most: no more than these while half of what lets spiders pause
-- waits (`workers.backpressure`), so that no spider waits for a batch to become full
local CROWDED = {{k_queued, 2500, 128e6}, {ALL_QUEUED, 10000, 500e6}}
local CROWDED_FULL_AT, CROWDED_WAIT = 500, 10
local function limits(full_at, wait)
  for _, crowd in ipairs(CROWDED) do
    local rows, bytes = unpack(redis.call('HMGET', crowd[1], 'rows', 'bytes'))
    if tonumber(rows or 0) >= crowd[2] or tonumber(bytes or 0) >= crowd[3] then
      return math.min(full_at, CROWDED_FULL_AT), math.min(wait, CROWDED_WAIT)
    end
  end
  return full_at, wait
end
-- Queue a row for an output. An entry is '1' or '0' (whether the output may have the row), epoch, time, and the row
-- after a line end. For a week after the first row in an epoch, an output may have rows that Redis knows nothing of.
local AGAIN_FOR = 7 * 86400
local function queue_row(output, member, full_at, wait, now, again, row)
  local queue = k_queue .. ':' .. output
  local epoch = redis.call('HGET', EPOCH, 'id') or '-'
  local known_epoch, since = unpack(redis.call('HMGET', queue, 'epoch', 'epoch_since'))
  if known_epoch ~= epoch then
    since = now
    redis.call('HSET', queue, 'epoch', epoch, 'epoch_since', now)
  end
  if now - since < AGAIN_FOR then again = '1' end
  local entry = again .. ' ' .. epoch .. ' ' .. string.format('%.3f', now) .. '\n' .. row
  local rows = redis.call('RPUSH', k_rows .. ':' .. output, entry)
  count_queued(1, #entry)
  full_at, wait = limits(full_at, wait)
  local is_full = rows >= full_at
  local due = redis.call('ZSCORE', ROW_QUEUES, member)
  if not due then
    redis.call('ZADD', ROW_QUEUES, is_full and now or now + wait, member)
  elseif tonumber(due) > now and (is_full or tonumber(due) > now + wait) then
    local holder, failures = unpack(redis.call('HMGET', queue, 'holder', 'failures'))
    if not holder and not failures then redis.call('ZADD', ROW_QUEUES, is_full and now or now + wait, member) end
  end
end
-- When the oldest row of an output was queued; false if none waits
local function oldest_row(output)
  local entry = redis.call('LINDEX', k_rows .. ':' .. output, 0)
  return entry and tonumber(string.match(entry, '^%d %S+ ([%d.]+)\n'))
end
-- Set when an output's rows are to be delivered; nobody holds them
local function schedule_rows(output, member, full_at, wait, now)
  local oldest = oldest_row(output)
  if not oldest then
    redis.call('ZREM', ROW_QUEUES, member)
  else
    full_at, wait = limits(full_at, wait)
    local is_full = redis.call('LLEN', k_rows .. ':' .. output) >= full_at
    redis.call('ZADD', ROW_QUEUES, is_full and now or math.min(oldest, now) + wait, member)
  end
end
