-- Leased URLs that were not fetched wait again. ARGV: fingerprint …
for _, name in ipairs(ARGV) do
  if redis.call('ZREM', k_leased, name) == 1 then
    redis.call('ZADD', k_waiting, cjson.decode(redis.call('HGET', k_open, name)).rank, name)
    redis.call('HINCRBY', k_tries, name, -1)
  end
end
return 1
