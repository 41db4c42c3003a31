-- Lease the fetched pages of a job to a worker, and return the first of them. ARGV: worker, now, lease's end,
-- bytes at most, fingerprint …
-- -> how many pages were examined before there were too many bytes, then of each that the worker got: fingerprint,
-- record, attempts, page (flat, with `takes`). The other pages are leased, and returned by the next request.
-- A repeated request counts as another take: the page's row is then looked up.
local worker, now, left = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local answer = {0}
for i = 5, #ARGV do
  local name, is_returned = ARGV[i], left > 0
  local held_until, is_free = redis.call('ZSCORE', k_held, name), false
  if held_until then
    is_free = is_returned and (redis.call('HGET', k_holders, name) == worker or tonumber(held_until) <= now)
  else
    is_free = redis.call('ZREM', k_fetched, name) == 1
  end
  if is_free then
    redis.call('HSET', k_holders, name, worker)
    redis.call('ZADD', k_held, ARGV[3], name)
  end
  if is_returned then
    answer[1] = answer[1] + 1
    if is_free then
      local page = k_page .. ':' .. name
      redis.call('HINCRBY', page, 'takes', 1)
      local fields, size = redis.call('HGETALL', page), #answer
      for j = 2, #fields, 2 do left = left - #fields[j] end
      answer[size + 1], answer[size + 2] = name, redis.call('HGET', k_open, name)
      answer[size + 3], answer[size + 4] = tonumber(redis.call('HGET', k_cuts, name) or 0), fields
    end
  end
end
return answer
