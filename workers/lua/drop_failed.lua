-- A failed URL is rejected, because a person does not need it. ARGV: bucket, slot, reason, URL, problems kept
-- -> 1, or 0 if it has not failed
local code = redis.call('HGET', ARGV[1], ARGV[2])
if not code or string.sub(code, 1, 1) ~= letter_of.failed then return 0 end
local day = string.sub(code, 2, 5)
redis.call('HSET', ARGV[1], ARGV[2], letter_of.rejected .. day .. ARGV[3])
count(day, 'failed', -1)
count(day, 'rejected', 1)
note_problem(ARGV[4], 'rejected', ARGV[3], ARGV[5])
return 1
