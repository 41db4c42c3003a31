-- Extend a worker's leases of pages, just before their rows are written, and keep which outputs have them already.
-- ARGV: worker, lease's end, (fingerprint, outputs as a JSON list or '') … -> for each 1, or 0 if it is not held any more
local answer = {}
for i = 3, #ARGV, 2 do
  local name, held = ARGV[i], 0
  if redis.call('HGET', k_holders, name) == ARGV[1] and redis.call('ZSCORE', k_held, name) then
    held = 1
    redis.call('ZADD', k_held, ARGV[2], name)
    if ARGV[i + 1] ~= '' then redis.call('HSET', k_page .. ':' .. name, 'delivered', ARGV[i + 1]) end
  end
  answer[#answer + 1] = held
end
return answer
