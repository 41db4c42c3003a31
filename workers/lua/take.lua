-- Lease a fetched page to a worker. ARGV: fingerprint, worker, now, lease's end
-- -> record, attempts, page (flat, with `takes`)
-- The reply has the page and so is not kept: a repeated request reads it again, and does not count an attempt.
local name = ARGV[1]
local page = k_page .. ':' .. name
local lease_end = redis.call('ZSCORE', k_held, name)
if lease_end then
  if redis.call('HGET', k_holders, name) ~= ARGV[2] and tonumber(lease_end) > tonumber(ARGV[3]) then return false end
elseif redis.call('ZREM', k_fetched, name) == 0 then
  return false
end
redis.call('HSET', k_holders, name, ARGV[2])
redis.call('ZADD', k_held, ARGV[4], name)
local counted = is_repeated and 0 or 1
redis.call('HINCRBY', page, 'takes', counted)
keep_reply(1)
return {redis.call('HGET', k_open, name), redis.call('HINCRBY', k_cuts, name, counted), redis.call('HGETALL', page)}
