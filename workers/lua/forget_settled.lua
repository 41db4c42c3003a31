-- Remove settled URLs from a bucket and from the counts, so that they can be added again: the rejected ones of a reason,
-- or the one in a slot. ARGV: bucket, 'reason' or 'slot', the reason or slot -> how many
local forgotten = 0
local function forget(slot, code)
  local state, day = state_of[string.sub(code, 1, 1)], string.sub(code, 2, 5)
  redis.call('HDEL', ARGV[1], slot)
  count(state, -1)
  count('seen', -1)
  count_of_day(day, state, -1)
  count_of_day(day, 'seen', -1)
  forgotten = forgotten + 1
end
if ARGV[2] == 'slot' then
  local code = redis.call('HGET', ARGV[1], ARGV[3])
  if code then forget(ARGV[3], code) end
  return forgotten
end
local all = redis.call('HGETALL', ARGV[1])
for i = 1, #all, 2 do
  if string.sub(all[i + 1], 1, 1) == letter_of.rejected and string.sub(all[i + 1], 6) == ARGV[3] then
    forget(all[i], all[i + 1])
  end
end
return forgotten
