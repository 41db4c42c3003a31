-- What spiders may fetch later -> how many are leased, how many wait for a later attempt, when the first of these is due
local first = redis.call('ZRANGE', k_delayed, 0, 0, 'WITHSCORES')
return {redis.call('ZCARD', k_leased), redis.call('ZCARD', k_delayed), first[2] or false}
