-- Forget the settled URLs that were first seen before a day; they count as forgotten. ARGV: day, bucket … -> how many
local forgotten = 0
for i = 2, #ARGV do
  local all = redis.call('HGETALL', ARGV[i])
  for j = 1, #all, 2 do
    local state, day = state_of[string.sub(all[j + 1], 1, 1)], string.sub(all[j + 1], 2, 5)
    if day < ARGV[1] then
      redis.call('HDEL', ARGV[i], all[j])
      count(state, -1)
      count('forgotten', 1)
      count_of_day(day, state, -1)
      count_of_day(day, 'forgotten', 1)
      forgotten = forgotten + 1
    end
  end
end
if forgotten > 0 then redis.call('HSET', k_counts, 'unseen', 2) end -- 2: their claims are not released yet
return forgotten
