-- Note the result of a request. ARGV: host, task's interval, the request's permit, response time (-1: unknown),
-- 'good' | 'alive' | 'slow' | 'fail' | 'both', Retry-After, why
local interval, permit, seconds = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local kind, rest, why = ARGV[5], tonumber(ARGV[6]), ARGV[7]

local function close_breaker()
  host.failures, host.open_until, host.open_for, host.opened_at, host.probe_until = 0, 0, 0, 0, 0
end

local function note_time()
  host.samples = math.min(host.samples + 1, 1000000)
  local weight = math.max(1 / host.samples, USUAL_WEIGHT)
  if host.samples > SAMPLES_LEAST and excess(seconds) > 0 then weight = weight * UNUSUAL end
  host.usual = host.usual + (seconds - host.usual) * weight
  host.recent = host.recent + (seconds - host.recent) * math.max(1 / host.samples, RECENT_WEIGHT)
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

if kind == 'good' or kind == 'alive' or kind == 'slow' then close_breaker() end
if kind == 'good' then
  if seconds >= 0 then note_time() end
  if permit > host.slow_at then
    host.slow = host.slow * SPEED_UP
    if host.slow < SLOW_FORGOTTEN then host.slow = 0 end
  end
end
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
return 1
