-- Adds a frame to the log of a turn and wakes its followers.
-- KEYS[1] the log: a stream whose entry ids are 1-0, 2-0, … and which is never trimmed, so its length is the last Seq
-- ARGV    type, data, '1' if terminal else '0', size of the frame, most bytes of a log,
--         time to live in milliseconds, channel of the followers
-- Gives the Seq, -1 when the turn has ended, -2 when the log is full.
local kind, data, terminal, size, most, ttl, channel = unpack(ARGV)
local seq, bytes = 1, tonumber(size)

local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  local fields = last[2] -- type, t, data, d, terminal, 0|1, bytes, n
  if fields[6] == '1' then
    return -1
  end
  seq = redis.call('XLEN', KEYS[1]) + 1
  bytes = bytes + tonumber(fields[8])
end
if bytes > tonumber(most) and terminal == '0' then
  return -2
end
redis.call('XADD', KEYS[1], string.format('%.0f-0', seq),
  'type', kind, 'data', data, 'terminal', terminal, 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PUBLISH', channel, '')
return seq
