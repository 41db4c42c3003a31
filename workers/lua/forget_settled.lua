-- Forget settled URLs: those that were first seen before a day, which count as forgotten; or the rejected ones of a
-- reason, or the one in a slot, so that they can be added again. ARGV: 'day', 'reason' or 'slot', its value, bucket …
-- -> how many
local by, value, forgotten = ARGV[1], ARGV[2], 0
local function is_meant(slot, code)
  if by == 'day' then return string.sub(code, 2, 5) < value end
  if by == 'slot' then return slot == value end
  return string.sub(code, 1, 1) == letter_of.rejected and string.sub(code, 6) == value
end
for i = 3, #ARGV do
  local all = redis.call('HGETALL', ARGV[i])
  for j = 1, #all, 2 do
    local slot, code = all[j], all[j + 1]
    if is_meant(slot, code) then
      local state, day = state_of[string.sub(code, 1, 1)], string.sub(code, 2, 5)
      redis.call('HDEL', ARGV[i], slot)
      count(day, state, -1)
      local sum, change = 'seen', -1
      if by == 'day' then sum, change = 'forgotten', 1 end
      count(day, sum, change)
      forgotten = forgotten + 1
    end
  end
end
-- 2: their claims are not released yet
if by == 'day' and forgotten > 0 then redis.call('HSET', k_counts, 'unseen', 2) end
return forgotten
