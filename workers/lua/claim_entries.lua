-- Claim the entries of a leased list page, all or none of them.
-- ARGV: fingerprint of the page, worker, '1' if an open URL of the task will get a row from its own page, else '',
-- (fingerprint, bucket, slot) of each entry …
-- -> 'lost', 'busy' (another page claims one of them), or for each entry 1: to be written, 0: it has a row
local name = ARGV[1]
if redis.call('HGET', k_holders, name) ~= ARGV[2] then return 'lost' end
local answers, granted = {}, {}
for i = 4, #ARGV, 3 do
  local entry, free = ARGV[i], 1
  local writer = redis.call('HGET', k_entries, entry)
  local page = redis.call('HGET', k_claims, entry)
  local done = redis.call('HGET', ARGV[i + 1], ARGV[i + 2])
  if writer and string.sub(writer, 1, 1) == '+' then
    free = 0
  elseif ARGV[3] == '1' and redis.call('HEXISTS', k_open, entry) == 1 then
    free = 0
  elseif writer and writer ~= name and redis.call('HEXISTS', k_open, writer) == 1 then
    return 'busy'
  elseif page == entry then -- claimed by its own page; a page that is rechecked may be a list page, which has no row
    local raw = redis.call('HGET', k_open, page)
    local visits = raw and cjson.decode(raw).visits
    if raw and not visits then return 'busy' end
    if visits and visits.version > 0 then free = 0 end
  elseif page and page ~= name then
    if redis.call('HEXISTS', k_open, page) == 1 then return 'busy' end
    free = 0
  elseif done and string.sub(done, 1, 1) == letter_of.written and string.sub(done, 6, 9) ~= 'list' then
    free = 0
  end
  answers[#answers + 1] = free
  if free == 1 then granted[#granted + 1] = entry end
end
for _, entry in ipairs(granted) do redis.call('HSET', k_entries, entry, name) end
return answers
