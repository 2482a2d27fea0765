-- Appends a message to the log. Each message has the position of the one before, so that a reader
-- sees whether messages between were lost. Positions are times, so that a log that was lost and
-- begins again does not repeat them.
-- KEYS: the log, the latest position. ARGV: the message, the maximum number of messages, the time
-- they are kept in ms.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local before = redis.call('GET', KEYS[2]) or '0'
local position = string.format('%.0f', math.max(before + 1, now))
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], position .. '-0',
  'before', before, 'message', ARGV[1])
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f-0', now - ARGV[3] * 1000))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], position)
