-- A settled URL waits again: because a person wants it, its section has another example now, or it gave a block page.
-- ARGV: fingerprint, record without its day, rank, bucket, slot, the recheck plan of a written one (JSON, or '' if its row
-- is unknown), the only state in which it is meant, or ''
-- -> the letter of the state that it had; '' if it is open, forgotten, in another state, or written with an unknown row
local name = ARGV[1]
local code = redis.call('HGET', ARGV[4], ARGV[5])
if not code or redis.call('HEXISTS', k_open, name) == 1 then return '' end
local letter = string.sub(code, 1, 1)
if ARGV[7] ~= '' and letter ~= letter_of[ARGV[7]] then return '' end
local record = cjson.decode(ARGV[2])
record.day = string.sub(code, 2, 5)
if letter == letter_of.written then
  local young = redis.call('HGET', k_young, name)
  if young then
    record.visits = cjson.decode(young).visits
    redis.call('ZREM', k_visits, name)
    redis.call('HDEL', k_young, name)
  elseif ARGV[6] ~= '' then
    record.visits = cjson.decode(ARGV[6])
  else
    return ''
  end
  claim_own(name)
end
redis.call('HDEL', ARGV[4], ARGV[5])
count(record.day, state_of[letter], -1)
redis.call('HSET', k_open, name, cjson.encode(record))
redis.call('ZADD', k_waiting, ARGV[3], name)
return letter
