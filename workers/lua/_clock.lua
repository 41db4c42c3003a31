-- Redis' clock was set back since sorted sets of times were looked at last, or a server with a slower one took over: the
-- times move with it, so that no wait becomes longer. `seen`: the key of when that was
local function follow_clock(seen, sets)
  local now = tonumber(redis.call('TIME')[1])
  local ahead = tonumber(redis.call('GET', seen) or 0) - now
  if ahead ~= 0 then redis.pcall('SET', seen, now, 'EX', 86400) end -- a full Redis refuses it
  if ahead <= 1 then return end
  for _, set in ipairs(sets) do
    for _, name in ipairs(redis.call('ZRANGE', set, 0, -1)) do redis.call('ZINCRBY', set, -ahead, name) end
  end
end
