-- A fetched page waits to be fetched again, since its stored body is damaged, or it is a block page.
-- ARGV: fingerprint, worker, reason, fetches at most, now, observation for the task's health ('' or JSON) of the first
-- fetch, seconds to wait by fetches (the last one also for later ones) … -> 1, or 0 if it was fetched that often
local name = ARGV[1]
if redis.call('HGET', k_holders, name) ~= ARGV[2] then return 1 end
local tries = tonumber(redis.call('HGET', k_tries, name) or 0)
if tries <= 1 and ARGV[6] ~= '' then observe({ARGV[6]}) end
if tries >= tonumber(ARGV[4]) then return 0 end
for _, set in ipairs({k_fetched, k_held}) do redis.call('ZREM', set, name) end
for _, map in ipairs({k_holders, k_cuts}) do redis.call('HDEL', map, name) end
local page = k_page .. ':' .. name
local delivered = redis.call('HGET', page, 'delivered') -- outputs that have its rows keep them
delete_page(name)
if delivered then redis.call('HSET', page, 'delivered', delivered) end
redis.call('HSET', k_why, name, ARGV[3])
local pause = ARGV[math.min(6 + math.max(tries, 1), #ARGV)]
if #ARGV > 6 then
  redis.call('ZADD', k_delayed, ARGV[5] + pause, name)
else
  redis.call('ZADD', k_waiting, cjson.decode(redis.call('HGET', k_open, name)).rank, name)
end
return 1
