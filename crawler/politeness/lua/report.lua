-- Note what came of requests. ARGV: host, asker's interval, good answers, sum of response times, how many of them,
-- the oldest turn of these requests, '' | 'alive' | 'slow' | 'fail' | 'both', seconds asked for (µs), why
-- -> whether the host is in trouble
local interval, good, seconds, samples = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local turn, trouble, rest, why = tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8]), ARGV[9]

local function close_breaker()
  host.failures, host.open_until, host.open_for, host.opened_at, host.probe_until = 0, 0, 0, 0, 0
end

local function note_times()
  if samples == 0 then return end
  local mean = seconds / samples
  for _ = 1, math.min(samples, 100) do
    host.samples = math.min(host.samples + 1, 1000000)
    local weight = math.max(1 / host.samples, USUAL_WEIGHT)
    if host.samples > SAMPLES_LEAST and excess(mean) > 0 then weight = weight * UNUSUAL end
    host.usual = host.usual + (mean - host.usual) * weight
    host.recent = host.recent + (mean - host.recent) * math.max(1 / host.samples, RECENT_WEIGHT)
  end
end

local function slow_down()
  if turn > host.slow_at then  -- else the request was under way before we slowed down: it says nothing new
    host.slow = math.min(SLOW_MOST, math.max(SLOW_LEAST, 2 * math.max(interval, demanded())))
    host.slow_at, host.last = now, now
  end
  if rest > 0 and now + rest > host['until'] then
    host['until'] = now + rest
    redis.call('HSET', KEYS[1], 'why', why)
  end
end

local function fail()
  host.failures = host.failures + 1
  if host.open_until > 0 then
    if turn <= host.opened_at then return end
    host.open_for = math.min(OPEN_MOST, host.open_for * 2)
  elseif host.failures >= FAILURES_MOST then
    host.open_for = OPEN_LEAST
  else
    return
  end
  host.open_until, host.opened_at, host.probe_until = now + host.open_for, now, 0
  redis.call('HSET', KEYS[1], 'why', why)
end

if good > 0 then
  close_breaker()
  note_times()
  if turn > host.slow_at then
    host.slow = host.slow * SPEED_UP ^ good
    if host.slow < SLOW_FORGOTTEN then host.slow = 0 end
  end
end
if trouble == 'alive' or trouble == 'slow' then close_breaker() end
if trouble == 'slow' or trouble == 'both' then slow_down() end
if trouble == 'fail' or trouble == 'both' then fail() end

local troubled = in_trouble()
keep('last', 'slow', 'slow_at', 'until', 'failures', 'open_until', 'open_for', 'opened_at', 'probe_until', 'usual',
  'recent', 'samples')
lapse(troubled)
if troubled then
  redis.call('ZADD', KEYS[2], string.format('%.0f', now + TROUBLE_KEPT), ARGV[1])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return troubled and 1 or 0
