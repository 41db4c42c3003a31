-- A host's state. KEYS: its hash, the hosts with problems. Times and intervals are microseconds by Redis' clock.
--   next, last              the next permit's time by the tasks' intervals; the last one's
--   delay, delay_end        Crawl-delay of its robots.txt, and until when it applies
--   slow, slow_at           interval that 429 and 503 brought about, and when they last did
--   until, why              no permit before (Retry-After); why, or why the breaker is open
--   failures                in a row, by anyone
--   open_until, open_for, opened_at, probe_until   the breaker; 0 = closed
--   usual, recent, samples  slow and quick average of its response times
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local FIELDS = {'next', 'last', 'delay', 'delay_end', 'slow', 'slow_at', 'until', 'failures', 'open_until', 'open_for',
  'opened_at', 'probe_until', 'usual', 'recent', 'samples'}
local host = {}
for place, value in ipairs(redis.call('HMGET', KEYS[1], unpack(FIELDS))) do
  host[FIELDS[place]] = tonumber(value or 0)
end

-- Redis' clock was set back since, or a server with a slower one took over: all times move with it, so that no wait
-- becomes longer
local TIMES = {'next', 'last', 'delay_end', 'slow_at', 'until', 'open_until', 'opened_at', 'probe_until'}
local ahead = math.max(0, math.max(host.last, host.slow_at, host.opened_at) - now)
for _, field in ipairs(TIMES) do host[field] = math.max(0, host[field] - ahead) end

-- By how much a response time exceeds the limit.
local function excess(seconds)
  return math.max(0, seconds - math.max(host.usual * LAG_FACTOR, host.usual + LAG_LEAST))
end

-- The interval that slow responses demand.
local function lag()
  return host.samples >= SAMPLES_LEAST and math.min(LAG_MOST, excess(host.recent)) or 0
end

-- The interval that holds for everyone, whatever a task's interval.
local function demanded()
  local interval = lag()
  if host.delay_end > now then interval = math.max(interval, host.delay) end
  if host.slow_at + SLOW_KEPT > now then interval = math.max(interval, host.slow) end
  return interval
end

local function has_problem()
  return (host.slow > 0 and host.slow_at + SLOW_KEPT > now) or host['until'] > now or host.open_until > 0
    or host.failures > 0 or lag() > 0
end

local function keep(...)
  local flat = {}
  for _, field in ipairs({...}) do
    flat[#flat + 1] = field
    flat[#flat + 1] = string.format('%.0f', host[field])
  end
  redis.call('HSET', KEYS[1], unpack(flat))
end

if ahead > 0 then keep(unpack(TIMES)) end

-- Let the state expire when no permits are requested any more.
local function lapse(problem)
  local last = math.max(host['until'], host.open_until, host.delay_end, host.next)
  local kept = math.max(0, last - now) + (problem and PROBLEM_KEPT or STATE_KEPT)
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', kept / 1000))
end
