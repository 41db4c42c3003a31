-- End the leases of a dead worker. ARGV: worker, when to queue its pages again -> their fingerprints
local freed = {}
local holders = redis.call('HGETALL', k_holders)
for i = 1, #holders, 2 do
  if holders[i + 1] == ARGV[1] then
    redis.call('HDEL', k_holders, holders[i])
    if redis.call('ZREM', k_held, holders[i]) == 1 then
      redis.call('ZADD', k_fetched, ARGV[2], holders[i])
      freed[#freed + 1] = holders[i]
    end
  end
end
return freed
