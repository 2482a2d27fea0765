-- Returns the position of the latest message. KEYS: the latest position.
return redis.call('GET', KEYS[1]) or '0'
