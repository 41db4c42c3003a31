-- The end of a URL. ARGV: fingerprint, state, code, reason, worker, problems kept, bucket, slot -> 1, or 0 if not ours
local name, state, worker = ARGV[1], ARGV[2], ARGV[5]
local record = redis.call('HGET', k_open, name)
if not record then return 0 end
if worker ~= '' and redis.call('HGET', k_holders, name) ~= worker then return 0 end
for _, set in ipairs({k_waiting, k_delayed, k_leased, k_fetched, k_held}) do redis.call('ZREM', set, name) end
for _, map in ipairs({k_open, k_tries, k_cuts, k_why, k_holders}) do redis.call('HDEL', map, name) end
redis.call('UNLINK', k_page .. ':' .. name)
redis.call('HSET', ARGV[7], ARGV[8], ARGV[3])
redis.call('HINCRBY', k_counts, state, 1)
-- A claim lasts only where a page was written under another URL's name: its own name is in the bucket now.
local canonical = redis.call('HGET', k_claims, name .. ':for')
if canonical then
  redis.call('HDEL', k_claims, name .. ':for')
  if (state ~= 'written' or canonical == name) and redis.call('HGET', k_claims, canonical) == name then
    redis.call('HDEL', k_claims, canonical)
  end
end
if state == 'rejected' or state == 'failed' then
  local problem = {url = cjson.decode(record).url, state = state, reason = ARGV[4], at = redis.call('TIME')[1]}
  redis.call('LPUSH', k_problems, cjson.encode(problem))
  redis.call('LTRIM', k_problems, 0, tonumber(ARGV[6]) - 1)
end
return 1
