-- Pages to be queued again: those whose lease or delay has expired, and those whose wake-up job is lost.
-- Their next time is set in the same step, so only one process queues them.
-- ARGV: now, next time, most, overdue before -> fingerprints
follow_clock(k_clock, {k_delayed, k_leased, k_fetched, k_held, k_visits})
local answer = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_held, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  redis.call('ZREM', k_held, name)
  redis.call('HDEL', k_holders, name)
  answer[#answer + 1] = name
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_fetched, '-inf', ARGV[4], 'LIMIT', 0, ARGV[3])) do
  answer[#answer + 1] = name
end
for _, name in ipairs(answer) do redis.call('ZADD', k_fetched, ARGV[2], name) end
return answer
