-- Functions for several scripts. The code of a settled URL: one letter for its state, four hex digits for the day on
-- which it was first seen, its short reason.
local letter_of = {written = 'w', duplicate = 'd', rejected = 'r', failed = 'f', forgotten = 'o'}
local state_of = {w = 'written', d = 'duplicate', r = 'rejected', f = 'failed', o = 'forgotten'}
-- Count URLs of a state, of all and of those that were first seen on a day
local function count(day, state, by)
  redis.call('HINCRBY', k_counts, state, by)
  redis.call('HINCRBY', k_days, day .. ':' .. state, by)
end
-- During a recheck no other page may claim the URL of a page
local function claim_own(name)
  if redis.call('HGET', k_claims, name) then return end
  redis.call('HSET', k_claims, name, name, name .. ':for', name)
end
-- Count what waits, and its bytes, of the task and of all tasks: pages in the page store, or rows for delivery
local function count_waiting(counters, what, number, bytes)
  for _, key in ipairs(counters) do
    if redis.call('HINCRBY', key, what, number) > 0 then
      redis.call('HINCRBY', key, 'bytes', bytes)
    else
      redis.call('DEL', key)
    end
  end
end
local function count_stored(pages, bytes) count_waiting({k_stored, ALL_STORED}, 'pages', pages, bytes) end
local function delete_page(name)
  local key = k_page .. ':' .. name
  local bytes = redis.call('HGET', key, 'bytes') -- none: stored before pages were counted
  if bytes then count_stored(-1, -bytes) end
  redis.call('UNLINK', key)
end
-- A URL is not open any more: nothing is left of its open state, except its page and its claim
local function close(name)
  if redis.call('ZREM', k_held, name) == 0 then
    for _, set in ipairs({k_waiting, k_delayed, k_leased, k_fetched}) do redis.call('ZREM', set, name) end
  end
  for _, map in ipairs({k_open, k_tries, k_cuts, k_why, k_holders}) do redis.call('HDEL', map, name) end
end
-- A page gives up the canonical URL that it claims
local function release_claim(name)
  local canonical = redis.call('HGET', k_claims, name .. ':for')
  if not canonical then return end
  redis.call('HDEL', k_claims, name .. ':for')
  if redis.call('HGET', k_claims, canonical) == name then redis.call('HDEL', k_claims, canonical) end
end
-- A URL without a row, in full; `kept`: how many of them
local function note_problem(url, state, reason, kept)
  local problem = {url = url, state = state, reason = reason, at = redis.call('TIME')[1]}
  redis.call('LPUSH', k_problems, cjson.encode(problem))
  redis.call('LTRIM', k_problems, 0, tonumber(kept) - 1)
end
-- The bucket of a settled URL, and its slot in it
local function place_of(name)
  local slot = string.gsub(string.sub(name, 3), '..', function(two) return string.char(tonumber(two, 16)) end)
  return k_done .. ':' .. string.format('%x', math.floor(tonumber(string.sub(name, 1, 4), 16) / BUCKETS_APART)), slot
end
-- Give back the attempt of a page whose worker was ended from outside, at most ten times
local function give_back(name, is_kill)
  if tonumber(redis.call('HGET', k_cuts, name) or 0) < 1 then return end
  if is_kill and redis.call('HINCRBY', k_page .. ':' .. name, 'kills', 1) > 10 then return end
  redis.call('HINCRBY', k_cuts, name, -1)
end
-- Keep what was observed of pages or a visit until it is counted for the task's health
local function observe(observations)
  redis.call('LPUSH', k_observed, unpack(observations))
  redis.call('LTRIM', k_observed, 0, OBSERVED_KEPT - 1)
  redis.call('HINCRBY', k_health, 'pushed', #observations)
end
