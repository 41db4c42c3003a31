-- Compare the rows of an output with the ledger, which may have lost its last second, or everything.
-- ARGV: what to do with rows that the ledger does not know ('record', 'deliver' or '': nothing), today, now, then for
-- each row fingerprint, record without its day, day, canonical fingerprint, bucket and slot, recheck plan as JSON or '',
-- '1' for an entry of a list page, the outputs that have it as a JSON list … -> for each row 1 if the ledger knew it,
-- else 0
local answer, KEPT = {}, 30 * 86400
local function knows_entry(canonical, bucket, slot)
  local writer = redis.call('HGET', k_entries, canonical)
  if writer and string.sub(writer, 1, 1) == '+' then return true end
  local code = redis.call('HGET', bucket, slot)
  return code and string.sub(code, 1, 1) == letter_of.written
end
local function record(name, raw, text, day, canonical, bucket, slot, recheck)
  local found = cjson.decode(raw or text)
  day = found.day or day
  if raw then
    for _, set in ipairs({k_waiting, k_delayed, k_leased, k_fetched, k_held}) do redis.call('ZREM', set, name) end
    for _, map in ipairs({k_open, k_tries, k_cuts, k_why, k_holders}) do redis.call('HDEL', map, name) end
  else
    count('seen', 1)
    count('learnt', 1) -- a walk must not end at it: older URLs may be unknown
    count_of_day(day, 'seen', 1)
  end
  delete_page(name)
  redis.call('HSET', bucket, slot, letter_of.written .. day)
  count('written', 1)
  count_of_day(day, 'written', 1)
  local earlier = redis.call('HGET', k_claims, name .. ':for')
  if earlier and redis.call('HGET', k_claims, earlier) == name then redis.call('HDEL', k_claims, earlier) end
  redis.call('HDEL', k_claims, name .. ':for')
  if canonical ~= name then redis.call('HSETNX', k_claims, canonical, name) end
  if recheck ~= '' then
    found.day, found.visits = day, cjson.decode(recheck)
    redis.call('HSET', k_young, name, cjson.encode(found))
    redis.call('ZADD', k_visits, ARGV[3] + found.visits.every, name)
  end
end
for i = 4, #ARGV, 9 do
  local name, text, day, canonical, bucket, slot, recheck, entry, outputs = unpack(ARGV, i, i + 8)
  local known = 0
  if entry == '1' then
    if knows_entry(canonical, bucket, slot) then
      known = 1
    elseif ARGV[1] == 'record' then
      redis.call('HSET', k_entries, canonical, '+' .. ARGV[2])
    end
  else
    local raw = redis.call('HGET', k_open, name)
    local visits = raw and cjson.decode(raw).visits
    if visits or not raw and redis.call('HEXISTS', bucket, slot) == 1 then
      known = 1 -- in a recheck, which looks its row up, or settled
    elseif ARGV[1] == 'record' then
      record(name, raw, text, day, canonical, bucket, slot, recheck)
    elseif ARGV[1] == 'deliver' then
      local page = k_page .. ':' .. name
      redis.call('HSET', page, 'delivered', outputs)
      if redis.call('HEXISTS', page, 'bytes') == 0 then redis.call('EXPIRE', page, KEPT) end -- it may never come
    end
  end
  answer[#answer + 1] = known
end
return answer
