-- Functions for several scripts. The code of a settled URL: one letter for its state, four hex digits for the day on
-- which it was first seen, its short reason.
local letter_of = {written = 'w', duplicate = 'd', rejected = 'r', failed = 'f', forgotten = 'o'}
local state_of = {w = 'written', d = 'duplicate', r = 'rejected', f = 'failed', o = 'forgotten'}
local function count(state, by) redis.call('HINCRBY', k_counts, state, by) end
local function count_of_day(day, state, by) redis.call('HINCRBY', k_days, day .. ':' .. state, by) end
-- The bucket of a settled URL, and its slot in it
local function place_of(name)
  local slot = string.gsub(string.sub(name, 3), '..', function(two) return string.char(tonumber(two, 16)) end)
  return k_done .. ':' .. string.format('%x', math.floor(tonumber(string.sub(name, 1, 4), 16) / BUCKETS_APART)), slot
end
