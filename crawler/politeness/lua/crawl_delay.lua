-- Apply a Crawl-delay. ARGV: interval, for how long
local interval = tonumber(ARGV[1])
if host.delay_end <= now or host.delay == 0 then host.last = now end  -- the request for robots.txt had a permit too
if host.delay_end > now then interval = math.max(interval, host.delay) end
host.delay, host.delay_end = interval, now + tonumber(ARGV[2])
keep('last', 'delay', 'delay_end')
lapse(has_problem())
return 1
