-- How the host is treated now -> the interval everyone must keep, closed until (0: it is not), failures, why, now
local closed = math.max(host['until'], host.open_until)
if closed <= now then closed = 0 end
return {demanded(), closed, host.failures, redis.call('HGET', KEYS[1], 'why') or '', now}
