-- A worker gives a page back without blame. ARGV: fingerprint, reason, when to ring again
local name = ARGV[1]
if redis.call('ZREM', k_held, name) == 1 then
  redis.call('HDEL', k_holders, name)
  redis.call('HINCRBY', k_cuts, name, -1)
  redis.call('HSET', k_why, name, ARGV[2])
  redis.call('ZADD', k_fetched, ARGV[3], name)
end
return 1
