-- State of one URL. ARGV: fingerprint, bucket, slot -> state and reason, or 'settled' and the code
local name = ARGV[1]
local why = redis.call('HGET', k_why, name) or ''
if redis.call('ZSCORE', k_waiting, name) or redis.call('ZSCORE', k_delayed, name) then return {'waiting', why} end
if redis.call('ZSCORE', k_leased, name) then return {'leased', why} end
if redis.call('ZSCORE', k_fetched, name) or redis.call('ZSCORE', k_held, name) then return {'fetched', why} end
local code = redis.call('HGET', ARGV[2], ARGV[3])
if code then return {'settled', code} end
return false
