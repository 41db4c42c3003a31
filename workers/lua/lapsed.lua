-- Pages to be queued again: those whose worker died, since it did not renew its lease; and those whose delay has expired,
-- or whose wake-up job is lost. Their next time is set in the same step, so only one process queues them.
-- ARGV: now, next time, most, overdue before -> fingerprints of the dead workers' pages, of the others
follow_clock(k_clock, {k_delayed, k_leased, k_fetched, k_held, k_visits})
local abandoned = {}
local others = redis.call('ZRANGEBYSCORE', k_fetched, '-inf', ARGV[4], 'LIMIT', 0, ARGV[3])
for _, name in ipairs(redis.call('ZRANGEBYSCORE', k_held, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
  redis.call('ZREM', k_held, name)
  if redis.call('HDEL', k_holders, name) == 1 then
    give_back(name, true)
    abandoned[#abandoned + 1] = name
  else
    others[#others + 1] = name
  end
end
for _, names in ipairs({abandoned, others}) do
  for _, name in ipairs(names) do redis.call('ZADD', k_fetched, ARGV[2], name) end
end
return {abandoned, others}
