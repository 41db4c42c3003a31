-- Remove an open URL from ledger and counts, so that it can be added again. ARGV: fingerprint -> 1, or 0 if not open
local name = ARGV[1]
local raw = redis.call('HGET', k_open, name)
if not raw then return 0 end
redis.call('HDEL', k_open, name)
for _, set in ipairs({k_waiting, k_delayed, k_leased, k_fetched, k_held}) do redis.call('ZREM', set, name) end
for _, map in ipairs({k_tries, k_cuts, k_why, k_holders}) do redis.call('HDEL', map, name) end
delete_page(name)
count(cjson.decode(raw).day or '0000', 'seen', -1)
local canonical = redis.call('HGET', k_claims, name .. ':for')
if canonical then
  redis.call('HDEL', k_claims, name .. ':for')
  if redis.call('HGET', k_claims, canonical) == name then redis.call('HDEL', k_claims, canonical) end
end
return 1
