-- Queue rows for an output, whose page was settled before. ARGV: output, member of the queues, rows of a full batch,
-- seconds that a row waits at most, now, '1' if the output may have the rows, row … -> how many
for i = 7, #ARGV do
  queue_row(ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[i])
end
return #ARGV - 6
