-- Settled URLs of one bucket whose code ends in a reason are forgotten. ARGV: bucket, letter, reason, state -> how many
local gone = 0
local all = redis.call('HGETALL', ARGV[1])
for i = 1, #all, 2 do
  if string.sub(all[i + 1], 1, 1) == ARGV[2] and string.sub(all[i + 1], 5) == ARGV[3] then
    redis.call('HDEL', ARGV[1], all[i])
    gone = gone + 1
  end
end
if gone > 0 then
  redis.call('HINCRBY', k_counts, ARGV[4], -gone)
  redis.call('HINCRBY', k_counts, 'seen', -gone)
end
return gone
