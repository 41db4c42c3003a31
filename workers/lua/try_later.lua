-- A leased URL waits again after a temporary failure. ARGV: fingerprint, reason, not before, change of the attempts
if redis.call('ZREM', k_leased, ARGV[1]) == 1 then
  redis.call('ZADD', k_delayed, ARGV[3], ARGV[1])
  redis.call('HSET', k_why, ARGV[1], ARGV[2])
  redis.call('HINCRBY', k_tries, ARGV[1], ARGV[4])
end
return 1
