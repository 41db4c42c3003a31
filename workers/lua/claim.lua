-- Ask for a canonical URL. ARGV: fingerprint, canonical fingerprint, bucket and slot of the canonical
local name, canonical = ARGV[1], ARGV[2]
local owner = redis.call('HGET', k_claims, canonical)
if owner and owner ~= name then
  if redis.call('HEXISTS', k_open, owner) == 1 then return 'busy' end
  return 'theirs'
end
if canonical ~= name then
  local done = redis.call('HGET', ARGV[3], ARGV[4])
  if done and string.sub(done, 1, 1) == 'w' then return 'theirs' end
end
redis.call('HSET', k_claims, canonical, name)
redis.call('HSET', k_claims, name .. ':for', canonical)
return 'mine'
