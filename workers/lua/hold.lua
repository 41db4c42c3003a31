-- Lease the fetched pages of a job to a worker before it takes them; no attempt is counted.
-- ARGV: worker, lease's end, fingerprint …
for i = 3, #ARGV do
  if redis.call('ZREM', k_fetched, ARGV[i]) == 1 then
    redis.call('ZADD', k_held, ARGV[2], ARGV[i])
    redis.call('HSET', k_holders, ARGV[i], ARGV[1])
  end
end
return 1
