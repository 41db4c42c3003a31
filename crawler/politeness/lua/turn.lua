-- Take the host's turn if it is free. ARGV: interval
-- -> wait (0: taken), why the host is closed, whether it is in trouble, whether nobody keeps an interval there, now
local wide, troubled = demanded(), in_trouble() and 1 or 0
local clear = wide == 0 and troubled == 0 and host.next + OTHERS_KEPT < now and 1 or 0

local wait = host['until'] - now
if host.open_until > 0 then
  wait = math.max(wait, host.open_until - now)
  if wait <= 0 and host.probe_until > now then wait = math.min(PROBE_LOOK, host.probe_until - now) end
end
if wait > 0 then return {math.ceil(wait), redis.call('HGET', KEYS[1], 'why') or '', troubled, 0, now} end

local free = math.max(host.next, host.last + wide)
if wide == 0 then free = host.next end
if free > now then return {math.ceil(free - now), '', troubled, 0, now} end

local interval = math.max(tonumber(ARGV[1]), wide)
if interval > 0 or troubled == 1 then
  host.last, host.next = now, now + interval
  if host.open_until > 0 then host.probe_until = now + PROBE_MOST end
  keep('last', 'next', 'probe_until')
  lapse(troubled == 1)
end
return {0, '', troubled, clear, now}
