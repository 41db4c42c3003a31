-- End the leases of a dead worker. ARGV: worker, when to queue its pages again, fingerprint … of the pages whose
-- attempt does not count -> the fingerprints of its pages
local uncounted = {}
for i = 3, #ARGV do uncounted[ARGV[i]] = true end
local freed = {}
local holders = redis.call('HGETALL', k_holders)
for i = 1, #holders, 2 do
  if holders[i + 1] == ARGV[1] then
    redis.call('HDEL', k_holders, holders[i])
    if redis.call('ZREM', k_held, holders[i]) == 1 then
      redis.call('ZADD', k_fetched, ARGV[2], holders[i])
      if uncounted[holders[i]] and tonumber(redis.call('HGET', k_cuts, holders[i]) or 0) > 0 then
        redis.call('HINCRBY', k_cuts, holders[i], -1)
      end
      freed[#freed + 1] = holders[i]
    end
  end
end
return freed
