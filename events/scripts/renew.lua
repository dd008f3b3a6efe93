-- Lengthens a lease if it is still held with the fence.
-- KEYS[1] the lease
-- ARGV    fence, time to live in milliseconds
-- Gives 1, or 0 when the lease is lost.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
