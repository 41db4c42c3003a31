-- Note pages that the site sent. ARGV: page (JSON) … -> all that were noted, newest first
local KEPT, KEPT_FOR = 24, 30 * 86400
if #ARGV > 0 then redis.call('LPUSH', k_sent, unpack(ARGV)) end
local answer = redis.call('LRANGE', k_sent, 0, -1)
redis.call('LTRIM', k_sent, 0, KEPT - 1)
redis.call('EXPIRE', k_sent, KEPT_FOR)
return answer
