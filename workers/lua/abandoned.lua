-- Pages whose worker did not renew its lease: they are fetched again, with no holder.
-- Their next time is set in the same step, so only one process queues them.
-- ARGV: now, next time, most -> fingerprints
local answer = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_held, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  if redis.call('HDEL', k_holders, name) == 1 then -- else it was postponed
    redis.call('ZREM', k_held, name)
    give_back(name, true)
    redis.call('ZADD', k_fetched, ARGV[2], name)
    answer[#answer + 1] = name
  end
end
return answer
