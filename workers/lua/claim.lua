-- Claim the canonical URLs of pages. ARGV: worker, then for each page: fingerprint, canonical fingerprint, bucket and
-- slot of the canonical URL
-- -> for each {'mine', whether it is an entry of a list page, whether a row may be in an output although the ledger does
-- not know it: URLs of the task were forgotten, or a recovery found it in some outputs only}, or {'theirs'}
-- (another URL has written it), {'busy'} (another open URL claims it), {'lost'} (not held any more)
local has_forgotten = redis.call('HEXISTS', k_counts, 'unseen')
local function claim(name, canonical, bucket, slot)
  if redis.call('HGET', k_holders, name) ~= ARGV[1] then return {'lost'} end
  redis.call('HDEL', k_cuts, name) -- it was extracted, so it crashes no worker
  local earlier = redis.call('HGET', k_claims, name .. ':for')
  if earlier and earlier ~= canonical then release_claim(name) end -- of an attempt with another example
  local owner = redis.call('HGET', k_claims, canonical)
  if owner and owner ~= name then
    if redis.call('HEXISTS', k_open, owner) == 1 then return {'busy'} end
    return {'theirs'}
  end
  if canonical ~= name then
    local done = redis.call('HGET', bucket, slot)
    if done and string.sub(done, 1, 1) == 'w' then return {'theirs'} end
  end
  redis.call('HSET', k_claims, canonical, name)
  redis.call('HSET', k_claims, name .. ':for', canonical)
  local has_row = redis.call('HEXISTS', k_claims, canonical .. ':row')
  return {'mine', redis.call('HEXISTS', k_entries, canonical), math.max(has_forgotten, has_row)}
end
local answer = {}
for i = 2, #ARGV, 4 do answer[#answer + 1] = claim(unpack(ARGV, i, i + 3)) end
return answer
