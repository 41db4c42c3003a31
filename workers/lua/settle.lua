-- Give URLs their final states. ARGV, for each URL: the number of its arguments, then fingerprint, state, short reason,
-- reason, worker, problems kept (0: this one is not), bucket, slot, now, recheck plan ('' or JSON: every, until, version,
-- hash; times in seconds), observation for the task's health ('' or JSON), the numbers of rows that outputs get and that
-- none gets, the number of rows that are queued for outputs, row …, for each output: its name, its member of the queues,
-- the rows of a full batch, seconds that a row waits at most, '1' if it may have the rows, the places of the rows that it
-- gets (`1,3`)
-- -> for each 1, or 0 if the URL is settled already, or another worker holds it
local function settle(at, last)
  local name, state, short, worker, now = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 4], tonumber(ARGV[at + 8])
  local raw = redis.call('HGET', k_open, name)
  if not raw then return 0 end
  if worker ~= '' and redis.call('HGET', k_holders, name) ~= worker then return 0 end
  local record = cjson.decode(raw)
  if record.visits and state ~= 'written' then -- a recheck: the row stays
    state, short = 'written', 'recheck: ' .. state
  end
  close(name)
  delete_page(name)
  local day = record.day or '0000' -- entered before days were counted
  redis.call('HSET', ARGV[at + 6], ARGV[at + 7], letter_of[state] .. day .. short)
  count(day, state, 1)
  if not record.visits then -- only grows: states of URLs change again, and are forgotten
    redis.call('HINCRBY', k_counts, 'settled:' .. state, 1)
  end
  redis.call('HINCRBY', k_counts, 'rows', ARGV[at + 11])
  redis.call('HINCRBY', k_counts, 'left_out', ARGV[at + 12])
  -- A claim remains only where a page was written under another canonical URL: its own URL is in the bucket now.
  local canonical = redis.call('HGET', k_claims, name .. ':for')
  if canonical and state == 'written' then redis.call('HDEL', k_claims, canonical .. ':row') end
  if canonical and (state ~= 'written' or canonical == name) then
    release_claim(name)
  elseif canonical then
    redis.call('HDEL', k_claims, name .. ':for')
  end
  if ARGV[at + 9] ~= '' then record.visits = cjson.decode(ARGV[at + 9]) end
  if record.visits and state == 'written' and now + record.visits.every <= record.visits['until'] then
    redis.call('HSET', k_young, name, cjson.encode(record))
    redis.call('ZADD', k_visits, now + record.visits.every, name)
  end
  if (state == 'rejected' or state == 'failed') and ARGV[at + 5] ~= '0' then
    note_problem(record.url, state, ARGV[at + 3], ARGV[at + 5])
  end
  if ARGV[at + 10] ~= '' then observe({ARGV[at + 10]}) end
  for i = at + 14 + tonumber(ARGV[at + 13] or 0), last, 6 do
    local output, member, full_at, wait, again, places = unpack(ARGV, i, i + 5)
    for place in string.gmatch(places, '%d+') do
      queue_row(output, member, tonumber(full_at), tonumber(wait), now, again, ARGV[at + 13 + place])
    end
  end
  return 1
end
local answer, at, failure = {}, 1, nil
while at < #ARGV do
  local last = at + tonumber(ARGV[at])
  local is_done, reply = pcall(settle, at + 1, last)
  if not is_done then failure = failure or reply end -- a damaged record; the others are counted
  answer[#answer + 1] = reply
  at = last + 1
end
if failure then error(type(failure) == 'table' and failure.err or failure, 0) end
return answer
