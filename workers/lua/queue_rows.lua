-- Queue rows for an output, whose page was settled before. ARGV: output, member of the queues, rows of a full batch,
-- seconds that a row waits at most, now, '1' if the output may have the rows, then row …; or '' and the number of a
-- refused row -> how many; 0 if the refused row is not kept any more
local rows = {unpack(ARGV, 7)}
if rows[1] == '' then
  local refused, number = k_refused .. ':' .. ARGV[1], rows[2]
  local value = redis.call('HGET', refused, number)
  if not value then return 0 end
  rows = {string.sub(value, string.find(value, '\n', 1, true) + 1)}
  redis.call('HDEL', refused, number)
  redis.call('ZREM', refused .. ':at', number)
  if redis.call('EXISTS', refused) == 0 then redis.call('ZREM', REFUSING, ARGV[2]) end
end
for _, row in ipairs(rows) do
  queue_row(ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], row)
end
return #rows
