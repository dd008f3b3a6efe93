-- Takes a lease if nobody holds it.
-- KEYS[1] the lease, KEYS[2] the highest fence given
-- ARGV    time to live in milliseconds
-- Gives the fence, 0 when somebody holds the lease.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
-- Following the clock, fences also grow when the data of the server was lost.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local fence = string.format('%.0f', math.max(last + 1, now))
redis.call('SET', KEYS[2], fence)
redis.call('SET', KEYS[1], fence, 'PX', ARGV[1])
return tonumber(fence)
