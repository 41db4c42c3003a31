-- Leased URLs wait again, because they were not fetched or after a temporary failure.
-- ARGV: not before ('': they may be leased at once), reason (only for later), change of their attempts, fingerprint …
for i = 4, #ARGV do
  local name = ARGV[i]
  if redis.call('ZREM', k_leased, name) == 1 then
    if ARGV[1] == '' then
      redis.call('ZADD', k_waiting, cjson.decode(redis.call('HGET', k_open, name)).rank, name)
    else
      redis.call('ZADD', k_delayed, ARGV[1], name)
      redis.call('HSET', k_why, name, ARGV[2])
    end
    redis.call('HINCRBY', k_tries, name, ARGV[3])
  end
end
return 1
