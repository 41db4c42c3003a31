-- Release a leased page; no worker may take it before its time, and the attempt is given back.
-- ARGV: fingerprint, worker, reason, time, the outputs that have its rows as a JSON list or ''
local name = ARGV[1]
if redis.call('HGET', k_holders, name) ~= ARGV[2] then return 0 end
redis.call('HDEL', k_holders, name)
-- A claim has given the attempt back before.
if tonumber(redis.call('HGET', k_cuts, name) or 0) > 0 then redis.call('HINCRBY', k_cuts, name, -1) end
redis.call('HSET', k_why, name, ARGV[3])
if ARGV[5] ~= '' then redis.call('HSET', k_page .. ':' .. name, 'delivered', ARGV[5]) end
redis.call('ZADD', k_held, ARGV[4], name)
return 1
