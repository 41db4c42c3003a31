-- Take the new text of a kept page that was extracted again into account. ARGV: fingerprint, canonical fingerprint, its
-- bucket and slot, bucket and slot of the page, version, hash of the text as extracted with the example alone
-- -> 'mine', 'theirs' (another URL has written the article), 'busy' (the URL is being fetched or extracted),
-- 'forgotten' (the ledger does not know the URL)
local name, canonical, bucket, slot = ARGV[1], ARGV[2], ARGV[5], ARGV[6]
if redis.call('HEXISTS', k_open, name) == 1 then return 'busy' end
local code = redis.call('HGET', bucket, slot)
if not code then return 'forgotten' end
local letter = string.sub(code, 1, 1)
if letter == letter_of.duplicate then return 'theirs' end
if letter ~= letter_of.written then
  local owner = redis.call('HGET', k_claims, canonical)
  if owner and owner ~= name then return 'theirs' end
  if canonical ~= name then
    local done = redis.call('HGET', ARGV[3], ARGV[4])
    if done and string.sub(done, 1, 1) == letter_of.written then return 'theirs' end
    redis.call('HSET', k_claims, canonical, name)
  end
  local day = string.sub(code, 2, 5)
  redis.call('HSET', bucket, slot, letter_of.written .. day .. 'extracted again')
  count(day, state_of[letter], -1)
  count(day, 'written', 1)
end
local raw = redis.call('HGET', k_young, name)
if raw then
  local record = cjson.decode(raw)
  record.visits.version, record.visits.hash, record.visits.row_hash = tonumber(ARGV[7]), ARGV[8], nil
  redis.call('HSET', k_young, name, cjson.encode(record))
end
return 'mine'
