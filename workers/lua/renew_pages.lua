-- Extend the leases of the pages that a worker still has. ARGV: worker, lease's end, fingerprint … -> how many
local renewed = 0
for i = 3, #ARGV do
  if redis.call('HGET', k_holders, ARGV[i]) == ARGV[1] and redis.call('ZSCORE', k_held, ARGV[i]) then
    redis.call('ZADD', k_held, 'GT', ARGV[2], ARGV[i])
    renewed = renewed + 1
  end
end
return renewed
