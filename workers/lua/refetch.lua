-- A fetched page waits to be fetched again, since its stored body is damaged, or it is a block page.
-- ARGV: fingerprint, worker, reason, fetches at most, now, seconds to wait by the number of fetches (the last ones also
-- after more) … -> how often it was fetched, negative if it does not wait, since that is often enough; 0 if the worker
-- does not hold it
local name = ARGV[1]
if redis.call('HGET', k_holders, name) ~= ARGV[2] then return 0 end
local tries = tonumber(redis.call('HGET', k_tries, name) or 1)
if tries >= tonumber(ARGV[4]) then return -tries end
for _, set in ipairs({k_fetched, k_held}) do redis.call('ZREM', set, name) end
for _, map in ipairs({k_holders, k_cuts}) do redis.call('HDEL', map, name) end
local page = k_page .. ':' .. name
local delivered = redis.call('HGET', page, 'delivered') -- outputs that have its rows keep them
delete_page(name)
if delivered then redis.call('HSET', page, 'delivered', delivered) end
redis.call('HSET', k_why, name, ARGV[3])
local pause = ARGV[math.min(5 + tries, #ARGV)]
redis.call('ZADD', k_delayed, #ARGV > 5 and ARGV[5] + pause or ARGV[5], name)
return tries
