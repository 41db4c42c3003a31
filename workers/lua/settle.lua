-- Give a URL its final state. ARGV: fingerprint, state, short reason, reason, worker, problems kept (0: this one is
-- not), bucket, slot, now, recheck plan ('' or JSON: every, until, version, hash; times in seconds)
-- -> 1, or 0 if the URL is settled already, or another worker holds it
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
redis.call('UNLINK', k_page .. ':' .. name)
local day = record.day or '0000' -- entered before days were counted
redis.call('HSET', ARGV[7], ARGV[8], letter_of[state] .. day .. short)
count(state, 1)
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
  local problem = {url = record.url, state = state, reason = ARGV[4], at = redis.call('TIME')[1]}
  redis.call('LPUSH', k_problems, cjson.encode(problem))
  redis.call('LTRIM', k_problems, 0, tonumber(ARGV[6]) - 1)
end
return 1
