-- Note the results of requests. ARGV: host, task's interval, good responses, sum of response times, how many of them,
-- the oldest permit of these requests, '' | 'alive' | 'slow' | 'fail' | 'both', Retry-After (µs), why
-- -> whether the host has a problem
local interval, good, seconds, samples = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local permit, kind, rest, why = tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8]), ARGV[9]

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
  if permit > host.slow_at then  -- else the request was sent before the slow-down: nothing new
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
    if permit <= host.opened_at then return end
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
  if permit > host.slow_at then
    host.slow = host.slow * SPEED_UP ^ good
    if host.slow < SLOW_FORGOTTEN then host.slow = 0 end
  end
end
if kind == 'alive' or kind == 'slow' then close_breaker() end
if kind == 'slow' or kind == 'both' then slow_down() end
if kind == 'fail' or kind == 'both' then fail() end

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now)) -- hosts without a request for a day
local problem = has_problem()
keep('last', 'slow', 'slow_at', 'until', 'failures', 'open_until', 'open_for', 'opened_at', 'probe_until', 'usual',
  'recent', 'samples')
lapse(problem)
if problem then
  redis.call('ZADD', KEYS[2], string.format('%.0f', now + PROBLEM_KEPT), ARGV[1])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return problem and 1 or 0
