-- All counts in one step -> seen, waiting, leased, fetched, written, duplicate, rejected, failed, forgotten, left out
local function final(state) return tonumber(redis.call('HGET', k_counts, state) or 0) end
local function open(set, other) return redis.call('ZCARD', set) + (other and redis.call('ZCARD', other) or 0) end
return {final('seen'), open(k_waiting, k_delayed), open(k_leased), open(k_fetched, k_held), final('written'),
        final('duplicate'), final('rejected'), final('failed'), final('forgotten'), final('left_out')}
