-- Begin a turn anew whose owner heard of it late. ARGV: when it was taken, interval
-- -> now, or 0 if somebody else has had a turn since
if host.last ~= tonumber(ARGV[1]) then return 0 end
host.last, host.next = now, now + math.max(tonumber(ARGV[2]), demanded())
keep('last', 'next')
return now
