-- Give a URL its final state. ARGV: fingerprint, state, short reason, reason, worker, problems kept (0: this one is
-- not), bucket, slot, now, recheck plan ('' or JSON: every, until, version, hash; times in seconds), observation for the
-- task's health ('' or JSON), the number of rows that are queued for outputs, row …, for each output: its name, its
-- member of the queues, the rows of a full batch, seconds that a row waits at most, '1' if it may have the rows, the
-- places of the rows that it gets (`1,3`)
-- -> 1, or 0 if the URL is settled already, or another worker holds it
if is_repeated then return 1 end
local name, state, short, worker, now = ARGV[1], ARGV[2], ARGV[3], ARGV[5], tonumber(ARGV[9])
local raw = redis.call('HGET', k_open, name)
if not raw then return 0 end
if worker ~= '' and redis.call('HGET', k_holders, name) ~= worker then return 0 end
local record = cjson.decode(raw)
if record.visits and state ~= 'written' then -- a recheck: the row stays
  state, short = 'written', 'recheck: ' .. state
end
for _, set in ipairs({k_waiting, k_delayed, k_leased, k_fetched, k_held}) do redis.call('ZREM', set, name) end
for _, map in ipairs({k_open, k_tries, k_cuts, k_why, k_holders}) do redis.call('HDEL', map, name) end
delete_page(name)
local day = record.day or '0000' -- entered before days were counted
redis.call('HSET', ARGV[7], ARGV[8], letter_of[state] .. day .. short)
count(state, 1)
if not record.visits then count('settled:' .. state, 1) end -- only grows: states of URLs change again, and are forgotten
count_of_day(day, state, 1)
-- A claim remains only where a page was written under another canonical URL: its own URL is in the bucket now.
local canonical = redis.call('HGET', k_claims, name .. ':for')
if canonical then
  redis.call('HDEL', k_claims, name .. ':for')
  if (state ~= 'written' or canonical == name) and redis.call('HGET', k_claims, canonical) == name then
    redis.call('HDEL', k_claims, canonical)
  end
end
if ARGV[10] ~= '' then record.visits = cjson.decode(ARGV[10]) end
if record.visits and state == 'written' and now + record.visits.every <= record.visits['until'] then
  redis.call('HSET', k_young, name, cjson.encode(record))
  redis.call('ZADD', k_visits, now + record.visits.every, name)
end
if (state == 'rejected' or state == 'failed') and ARGV[6] ~= '0' then
  note_problem(record.url, state, ARGV[4], ARGV[6])
end
if ARGV[11] ~= '' then observe(ARGV[11]) end
local rows = tonumber(ARGV[12] or 0)
for i = 13 + rows, #ARGV, 6 do
  local output, member, full_at, wait, again, places = unpack(ARGV, i, i + 5)
  for place in string.gmatch(places, '%d+') do
    queue_row(output, member, tonumber(full_at), tonumber(wait), now, again, ARGV[12 + place])
  end
end
keep_request()
return 1
