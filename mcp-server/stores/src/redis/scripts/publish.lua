-- Appends a message to the log. Each message has the position of the one before, so that a reader
-- sees whether messages between were lost. Positions are times, so that a log that was lost and
-- begins again does not repeat them.
-- KEYS: the log, the latest position. ARGV: the message, the maximum number of messages, the time
-- they are kept in ms, the maximum size of all in bytes.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local before = redis.call('GET', KEYS[2]) or '0'
local position = string.format('%.0f', math.max(before + 1, now))
-- Each message also has the total size of those up to it.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local total = (last and last[2][6] or 0) + #ARGV[1]
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], position .. '-0',
  'before', before, 'message', ARGV[1], 'total', string.format('%.0f', total))
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
while total - first[2][6] + #first[2][4] > tonumber(ARGV[4]) and first[1] ~= position .. '-0' do
  redis.call('XDEL', KEYS[1], first[1])
  first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
end
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f-0', now - ARGV[3] * 1000))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], position)
