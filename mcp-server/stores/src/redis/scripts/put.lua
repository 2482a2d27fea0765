-- Writes a value. Returns its version, `conflict` or `full`.
-- KEYS: the value, the latest version, and the group if there is one.
-- ARGV: the value, its time to live in ms, the condition, the key, the maximum of the group.
local known = redis.call('HGET', KEYS[1], 'version')
if ARGV[3] == 'absent' then
  if known then return 'conflict' end
elseif ARGV[3] ~= 'any' and known ~= ARGV[3] then
  return 'conflict'
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local group = KEYS[3]
if group then
  redis.call('ZREMRANGEBYSCORE', group, '-inf', string.format('(%.0f', now))
  if not known and redis.call('ZCARD', group) >= tonumber(ARGV[5]) then return 'full' end
end
-- Not a counter alone: if the server has lost it, versions must not begin again.
local latest = tonumber(redis.call('GET', KEYS[2]) or '0')
local version = string.format('%.0f', math.max(latest + 1, time[1] * 1000000 + time[2]))
local ends = string.format('%.0f', now + ARGV[2])
redis.call('SET', KEYS[2], version)
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'version', version, 'group', group or '')
redis.call('PEXPIREAT', KEYS[1], ends)
if group then
  redis.call('ZADD', group, ends, ARGV[4])
  redis.call('PEXPIREAT', group, redis.call('ZRANGE', group, -1, -1, 'WITHSCORES')[2])
end
return version
