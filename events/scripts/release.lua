-- Ends a lease if it is still held with the fence.
-- KEYS[1] the lease
-- ARGV    fence
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
