-- A fetched page whose stored body is damaged waits to be fetched again. ARGV: fingerprint, worker, reason, fetches at
-- most -> 1, or 0 if it was fetched that often
local name = ARGV[1]
if redis.call('HGET', k_holders, name) ~= ARGV[2] then return 1 end
if tonumber(redis.call('HGET', k_tries, name) or 0) >= tonumber(ARGV[4]) then return 0 end
for _, set in ipairs({k_fetched, k_held}) do redis.call('ZREM', set, name) end
for _, map in ipairs({k_holders, k_cuts}) do redis.call('HDEL', map, name) end
local page = k_page .. ':' .. name
local delivered = redis.call('HGET', page, 'delivered') -- outputs that have its rows keep them
delete_page(name)
if delivered then redis.call('HSET', page, 'delivered', delivered) end
redis.call('HSET', k_why, name, ARGV[3])
redis.call('ZADD', k_waiting, cjson.decode(redis.call('HGET', k_open, name)).rank, name)
return 1
