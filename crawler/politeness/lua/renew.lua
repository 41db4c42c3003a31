-- Renew a permit that is late. ARGV: when it was granted, interval
-- -> now, or 0 if another one was granted since
if host.last ~= tonumber(ARGV[1]) then return 0 end
host.last, host.next = now, now + math.max(tonumber(ARGV[2]), demanded())
keep('last', 'next')
return now
