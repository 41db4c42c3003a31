-- Pages to be queued again: those whose lease or delay expired, and those whose wake-up job must be lost.
-- Their time advances, so that only one process queues them. ARGV: now, next time, most, overdue before -> fingerprints
local out = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_held, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  redis.call('ZREM', k_held, name)
  redis.call('HDEL', k_holders, name)
  out[#out + 1] = name
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_fetched, '-inf', ARGV[4], 'LIMIT', 0, ARGV[3])) do
  out[#out + 1] = name
end
for _, name in ipairs(out) do redis.call('ZADD', k_fetched, ARGV[2], name) end
return out
