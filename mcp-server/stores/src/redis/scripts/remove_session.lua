-- Removes all streams of a session. KEYS: the streams of the session.
for _, stream in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  redis.call('DEL', stream)
  redis.call('PUBLISH', stream, '')
end
redis.call('DEL', KEYS[1])
