-- Add URLs as waiting unless they are known.
-- ARGV: task, day, (fingerprint, record, rank, bucket, slot) … -> 1 for each new one
redis.call('SADD', LEDGERS, ARGV[1])
local new = {}
for i = 3, #ARGV, 5 do
  local name = ARGV[i]
  if redis.call('HEXISTS', k_open, name) == 1 or redis.call('HEXISTS', ARGV[i + 3], ARGV[i + 4]) == 1 then
    new[#new + 1] = 0
  else
    redis.call('HSET', k_open, name, ARGV[i + 1])
    redis.call('ZADD', k_waiting, ARGV[i + 2], name)
    count(ARGV[2], 'seen', 1)
    new[#new + 1] = 1
  end
end
return new
