-- Returns a value and its version. KEYS: the value.
return redis.call('HMGET', KEYS[1], 'value', 'version')
