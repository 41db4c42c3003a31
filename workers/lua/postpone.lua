-- Postpone fetched pages: no worker may take them before their time. ARGV: time, reason, fingerprint …
for i = 3, #ARGV do
  if redis.call('ZREM', k_fetched, ARGV[i]) == 1 then
    redis.call('ZADD', k_held, ARGV[1], ARGV[i])
    redis.call('HSET', k_why, ARGV[i], ARGV[2])
  end
end
return 1
