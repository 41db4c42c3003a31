-- Remove an open URL from ledger and counts, so that it can be added again. ARGV: fingerprint -> 1, or 0 if not open
local name = ARGV[1]
local raw = redis.call('HGET', k_open, name)
if not raw then return 0 end
close(name)
delete_page(name)
count(cjson.decode(raw).day or '0000', 'seen', -1)
release_claim(name)
return 1
