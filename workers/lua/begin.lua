-- Count the attempt of a page that a worker holds, just before it works on it; earlier pages crashed no worker.
-- ARGV: worker, lease's end, fingerprint, its attempts, this one included, earlier fingerprint …
-- -> 1, or 0 if the page is not held any more
for i = 5, #ARGV do
  if redis.call('HGET', k_holders, ARGV[i]) == ARGV[1] then redis.call('HDEL', k_cuts, ARGV[i]) end
end
if redis.call('HGET', k_holders, ARGV[3]) ~= ARGV[1] then return 0 end
redis.call('HSET', k_cuts, ARGV[3], ARGV[4])
redis.call('ZADD', k_held, ARGV[2], ARGV[3])
return 1
