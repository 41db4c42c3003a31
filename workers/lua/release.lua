-- Fetched pages may not be taken before a time. Their worker releases its leases, and their attempt is given back.
-- ARGV: worker ('': pages that no worker holds), time, reason, the outputs that have their rows as a JSON list or '',
-- fingerprint …
local function gives_up(name)
  if ARGV[1] == '' then return redis.call('ZREM', k_fetched, name) == 1 end
  if redis.call('HGET', k_holders, name) ~= ARGV[1] then return false end
  redis.call('HDEL', k_holders, name)
  give_back(name) -- unless a claim did before
  return true
end
for i = 5, #ARGV do
  local name = ARGV[i]
  if gives_up(name) then
    redis.call('ZADD', k_held, ARGV[2], name)
    redis.call('HSET', k_why, name, ARGV[3])
    if ARGV[4] ~= '' then redis.call('HSET', k_page .. ':' .. name, 'delivered', ARGV[4]) end
  end
end
return 1
