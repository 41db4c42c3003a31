-- Pages to ring for: those whose worker's lease ran out, and the overdue ones if ARGV[4] is 1 (the queue is empty).
-- They wait until the next time, so that one process rings. ARGV: now, next time, most, 0 or 1 -> fingerprints
local out = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_held, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  redis.call('ZREM', k_held, name)
  redis.call('HDEL', k_holders, name)
  out[#out + 1] = name
end
if ARGV[4] == '1' then
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_fetched, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
    out[#out + 1] = name
  end
end
for _, name in ipairs(out) do redis.call('ZADD', k_fetched, ARGV[2], name) end
return out
