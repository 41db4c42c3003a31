-- Lease waiting URLs. ARGV: most, now, seconds, greatest rank, most of any rank if there is none of those
-- -> flat (fingerprint, record, tries) …
local most, now, seconds = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
follow_clock(k_clock, {k_delayed, k_leased, k_fetched, k_held, k_visits})
local function wait_again(set)
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', set, name)
    redis.call('ZADD', k_waiting, cjson.decode(redis.call('HGET', k_open, name)).rank, name)
  end
end
wait_again(k_delayed)
wait_again(k_leased)
local answer = {}
if most <= 0 then return answer end
local names = redis.call('ZRANGEBYSCORE', k_waiting, '-inf', ARGV[4], 'LIMIT', 0, most)
if #names == 0 and ARGV[5] ~= '0' then names = redis.call('ZRANGE', k_waiting, 0, ARGV[5] - 1) end
for _, name in ipairs(names) do
  redis.call('ZREM', k_waiting, name)
  redis.call('ZADD', k_leased, now + seconds, name)
  answer[#answer + 1] = name
  answer[#answer + 1] = redis.call('HGET', k_open, name)
  answer[#answer + 1] = redis.call('HINCRBY', k_tries, name, 1)
end
return answer
