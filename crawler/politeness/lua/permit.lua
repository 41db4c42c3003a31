-- Grant a permit if the host is free. ARGV: interval
-- -> wait (0: granted), why the host is closed, now
if is_repeated then return last_reply end
local wide, problem = demanded(), has_problem()

local wait = host['until'] - now
if host.open_until > 0 then
  wait = math.max(wait, host.open_until - now)
  if wait <= 0 and host.probe_until > now then wait = math.min(PROBE_LOOK, host.probe_until - now) end
end
if wait > 0 then return {math.ceil(wait), redis.call('HGET', KEYS[1], 'why') or '', now} end

local free = math.max(host.next, host.last + wide)
if wide == 0 then free = host.next end
if free > now then return {math.ceil(free - now), '', now} end

local interval = math.max(tonumber(ARGV[1]), wide)
if interval > 0 or problem then
  host.last, host.next = now, now + interval
  if host.open_until > 0 then host.probe_until = now + PROBE_MOST end
  keep('last', 'next', 'probe_until')
  lapse(problem)
  keep_reply({0, '', now})
end
return {0, '', now}
