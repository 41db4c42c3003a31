-- Store a fetched page. ARGV: fingerprint, when to queue it again, (field, value) … of the page
local name = ARGV[1]
if redis.call('HEXISTS', k_open, name) == 0 or redis.call('ZSCORE', k_fetched, name)
    or redis.call('ZSCORE', k_held, name) then
  return 0
end
redis.call('ZREM', k_leased, name)
redis.call('ZREM', k_waiting, name)
redis.call('ZREM', k_delayed, name)
redis.call('ZADD', k_fetched, ARGV[2], name)
redis.call('HDEL', k_why, name)
local bytes = 0
for i = 4, #ARGV, 2 do bytes = bytes + #ARGV[i] end
local page = k_page .. ':' .. name
local delivered = redis.call('HGET', page, 'delivered') -- noted by `record_written.lua` before the page came
delete_page(name)
redis.call('HSET', page, 'bytes', bytes, unpack(ARGV, 3))
if delivered then redis.call('HSET', page, 'delivered', delivered) end
count_stored(1, bytes)
return 1
