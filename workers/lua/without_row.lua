-- The rejected and failed URLs of some buckets. ARGV: bucket … -> (place of the bucket in ARGV, slot, code) …
local answer = {}
for i = 1, #ARGV do
  local all = redis.call('HGETALL', ARGV[i])
  for j = 1, #all, 2 do
    local letter = string.sub(all[j + 1], 1, 1)
    if letter == letter_of.rejected or letter == letter_of.failed then
      answer[#answer + 1] = i
      answer[#answer + 1] = all[j]
      answer[#answer + 1] = all[j + 1]
    end
  end
end
return answer
