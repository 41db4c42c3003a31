-- Extend a worker's leases of pages, and keep which outputs have their rows already.
-- ARGV: worker, lease's end, (fingerprint, outputs as a JSON list) …
-- -> for each the outputs that have its rows, those of its record included, or false if it is not held any more
local answer = {}
for i = 3, #ARGV, 2 do
  local name, delivered = ARGV[i], false
  if redis.call('HGET', k_holders, name) == ARGV[1] and redis.call('ZSCORE', k_held, name) then
    redis.call('ZADD', k_held, 'GT', ARGV[2], name)
    local page, all, seen = k_page .. ':' .. name, {}, {}
    local lists = {ARGV[i + 1], redis.call('HGET', page, 'delivered') or '[]'}
    for _, list in ipairs(lists) do
      for _, output in ipairs(cjson.decode(list)) do
        if not seen[output] then
          seen[output] = true
          all[#all + 1] = output
        end
      end
    end
    delivered = #all > 0 and cjson.encode(all) or '[]'
    if #all > 0 and delivered ~= lists[2] then redis.call('HSET', page, 'delivered', delivered) end
  end
  answer[#answer + 1] = delivered
end
return answer
