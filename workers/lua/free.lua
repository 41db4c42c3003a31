-- End the leases of a dead worker. ARGV: worker, when to queue its pages again, the number of pages that it worked on
-- when it was killed from outside, their fingerprints, fingerprint … of the other pages whose attempt does not count
-- -> the fingerprints of its pages
local kills, uncounted = tonumber(ARGV[3]), {}
for i = 4, #ARGV do uncounted[ARGV[i]] = i <= 3 + kills and 'killed' or 'innocent' end
local freed = {}
local holders = redis.call('HGETALL', k_holders)
for i = 1, #holders, 2 do
  if holders[i + 1] == ARGV[1] then
    redis.call('HDEL', k_holders, holders[i])
    if redis.call('ZREM', k_held, holders[i]) == 1 then
      redis.call('ZADD', k_fetched, ARGV[2], holders[i])
      if uncounted[holders[i]] then give_back(holders[i], uncounted[holders[i]] == 'killed') end
      freed[#freed + 1] = holders[i]
    end
  end
end
return freed
