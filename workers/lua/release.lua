-- Release a leased page; no worker may take it before its time. ARGV: fingerprint, worker, reason, time
local name = ARGV[1]
if redis.call('HGET', k_holders, name) ~= ARGV[2] then return 0 end
redis.call('HDEL', k_holders, name)
redis.call('HINCRBY', k_cuts, name, -1)
redis.call('HSET', k_why, name, ARGV[3])
redis.call('ZADD', k_held, ARGV[4], name)
return 1
