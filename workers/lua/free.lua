-- The pages of a dead worker may be taken again. ARGV: worker, when to queue them again -> fingerprints
local out = {}
local all = redis.call('HGETALL', k_holders)
for i = 1, #all, 2 do
  if all[i + 1] == ARGV[1] then
    redis.call('HDEL', k_holders, all[i])
    if redis.call('ZREM', k_held, all[i]) == 1 then
      redis.call('ZADD', k_fetched, ARGV[2], all[i])
      out[#out + 1] = all[i]
    end
  end
end
return out
