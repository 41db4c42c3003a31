-- Written pages that are due for a recheck wait again. ARGV: now, most -> how many
local due = 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_visits, '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local raw = redis.call('HGET', k_young, name)
  redis.call('ZREM', k_visits, name)
  redis.call('HDEL', k_young, name)
  local bucket, slot = place_of(name)
  local code = redis.call('HGET', bucket, slot)
  if raw and code and string.sub(code, 1, 1) == letter_of.written then -- else it has been forgotten since
    local record = cjson.decode(raw)
    redis.call('HDEL', bucket, slot)
    count(record.day, 'written', -1)
    redis.call('HSET', k_open, name, raw)
    redis.call('ZADD', k_waiting, record.rank, name)
    claim_own(name)
    due = due + 1
  end
end
return due
