-- Compare the rows of an output with the ledger, which may have lost its last second, or everything.
-- ARGV: what to do with rows that the ledger does not know ('record', 'deliver' or '': nothing), today, now, the output
-- that is read, all outputs as a JSON list, then for each row fingerprint, record without its day, day, canonical
-- fingerprint, bucket and slot, recheck plan as JSON or '', '1' for an entry of a list page, the outputs that have it as
-- a JSON list … -> for each row 0 if the ledger did not know it, 1 if it did, 2 if it only knows it from an output, and
-- this one may not have been read as far as it must be
local answer, KEPT = {}, 30 * 86400
local first, last = unpack(redis.call('HMGET', k_unhealed, ARGV[4], '')) -- numbers of recoveries
if ARGV[1] == 'record' then
  if not first then last = redis.call('HINCRBY', k_unhealed, '', 1) end
  for _, output in ipairs(cjson.decode(ARGV[5])) do redis.call('HSETNX', k_unhealed, output, last) end
end
local learnt = 'learnt ' .. (last or '')
local function is_in_doubt(code)
  local number = first and string.match(code, 'learnt (%d+)$')
  return number and tonumber(number) >= tonumber(first)
end
local function knows_entry(canonical, bucket, slot)
  local writer = redis.call('HGET', k_entries, canonical)
  if writer and string.sub(writer, 1, 1) == '+' then return writer end
  local code = redis.call('HGET', bucket, slot)
  return code and string.sub(code, 1, 1) == letter_of.written and code
end
local function record(name, raw, text, day, canonical, bucket, slot, recheck)
  local found = cjson.decode(raw or text)
  day = found.day or day
  if raw then
    close(name)
  else
    count(day, 'seen', 1)
    redis.call('HINCRBY', k_counts, 'learnt', 1) -- a walk must not end at it: older URLs may be unknown
  end
  delete_page(name)
  redis.call('HSET', bucket, slot, letter_of.written .. day .. learnt)
  count(day, 'written', 1)
  release_claim(name)
  redis.call('HDEL', k_claims, canonical .. ':row')
  if canonical ~= name then redis.call('HSETNX', k_claims, canonical, name) end
  if recheck ~= '' then
    found.day, found.visits = day, cjson.decode(recheck)
    redis.call('HSET', k_young, name, cjson.encode(found))
    redis.call('ZADD', k_visits, ARGV[3] + found.visits.every, name)
  end
end
for i = 6, #ARGV, 9 do
  local name, text, day, canonical, bucket, slot, recheck, entry, outputs = unpack(ARGV, i, i + 8)
  local known = false
  if entry == '1' then
    known = knows_entry(canonical, bucket, slot)
    if not known and ARGV[1] == 'record' then
      redis.call('HSET', k_entries, canonical, '+' .. ARGV[2] .. learnt)
    end
  else
    local raw = redis.call('HGET', k_open, name)
    known = raw and cjson.decode(raw).visits and 'in a recheck' or not raw and redis.call('HGET', bucket, slot)
    if known then -- in a recheck, which looks its row up, or settled
    elseif ARGV[1] == 'record' then
      record(name, raw, text, day, canonical, bucket, slot, recheck)
    elseif ARGV[1] == 'deliver' then
      local page = k_page .. ':' .. name
      redis.call('HSET', page, 'delivered', outputs)
      redis.call('HSET', k_claims, canonical .. ':row', name) -- another URL of the article may be found first
      if redis.call('HEXISTS', page, 'bytes') == 0 then redis.call('EXPIRE', page, KEPT) end -- it may never come
    end
  end
  answer[#answer + 1] = not known and 0 or is_in_doubt(known) and 2 or 1
end
return answer
