-- Removes a value, and its key from its group. Returns 1, or 0 if there was no value.
-- KEYS: the value. ARGV: the key.
local group = redis.call('HGET', KEYS[1], 'group')
if group and group ~= '' then redis.call('ZREM', group, ARGV[1]) end
return redis.call('DEL', KEYS[1])
