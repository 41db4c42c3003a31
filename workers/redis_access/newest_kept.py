"""Items kept in Redis for a person to look at: the newest ones of each owner, up to a number, a size and an age.

An owner, such as a task, has a hash of its items and a sorted set of their times; another sorted set has all owners.
"""

# keep_newest(now, owner, largest numbers of items, bytes and owners, seconds), called after the items were written to
# KEYS[1] and their times to KEYS[2] -> the owners whose items are to be removed
KEEP_NEWEST = """
local function keep_newest(now, owner, most, bytes, owners, seconds)
  local kept, size = 0, 0
  for _, name in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, -1)) do
    kept, size = kept + 1, size + redis.call('HSTRLEN', KEYS[1], name)
    if kept > tonumber(most) or size > tonumber(bytes) then
      redis.call('ZREM', KEYS[2], name)
      redis.call('HDEL', KEYS[1], name)
    end
  end
  for place = 1, 2 do redis.call('EXPIRE', KEYS[place], seconds) end
  redis.call('ZADD', KEYS[3], now, owner)
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - seconds)
  local beyond = redis.call('ZCARD', KEYS[3]) - tonumber(owners)
  if beyond <= 0 then return {} end
  local dropped = redis.call('ZRANGE', KEYS[3], 0, beyond - 1)
  redis.call('ZREM', KEYS[3], unpack(dropped))
  return dropped
end
"""
