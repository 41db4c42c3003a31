-- Pages of a dead worker wait to be rung for again. ARGV: when to ring, fingerprint …
for i = 2, #ARGV do
  redis.call('HDEL', k_holders, ARGV[i])
  if redis.call('ZREM', k_held, ARGV[i]) == 1 then redis.call('ZADD', k_fetched, ARGV[1], ARGV[i]) end
end
return 1
