-- Admits an event into a sliding log, or says when to try again.
-- KEYS[1] the log: a sorted set of events by time in microseconds
-- ARGV    limit, window in microseconds, name of the event
-- Gives the microseconds to wait: 0 means admitted.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - window))
local count = redis.call('ZCARD', KEYS[1])
if count >= limit then
  local blocking = redis.call('ZRANGE', KEYS[1], count - limit, count - limit, 'WITHSCORES')
  return tonumber(blocking[2]) + window - now
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + 1)
return 0
