-- Appends an event to a stream, or ends it. Does nothing if the stream is unknown.
-- KEYS: the stream, the streams of the session.
-- ARGV: the number, `event` or `end`, the message, the time it is kept in ms, the maximum number and
-- size of the events.
local stream, session = KEYS[1], KEYS[2]
local state = redis.call('HMGET', stream, 'first', 'last', 'bytes')
if not state[2] then return end
local number, first, bytes = tonumber(ARGV[1]), tonumber(state[1]), tonumber(state[3])
if ARGV[2] == 'end' then
  redis.call('HSET', stream, 'ended', 1)
elseif number > tonumber(state[2]) then
  redis.call('HSET', stream, ARGV[1], ARGV[3])
  bytes = bytes + #ARGV[3]
  while first < number
    and (number - first >= tonumber(ARGV[5]) or bytes > tonumber(ARGV[6])) do
    local oldest = string.format('%.0f', first)
    bytes = bytes - redis.call('HSTRLEN', stream, oldest)
    redis.call('HDEL', stream, oldest)
    first = first + 1
  end
  redis.call('HSET', stream, 'first', first, 'last', ARGV[1], 'bytes', bytes)
end
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4]
redis.call('PEXPIRE', stream, ARGV[4])
redis.call('ZADD', session, string.format('%.0f', ends), stream)
redis.call('PEXPIREAT', session, redis.call('ZRANGE', session, -1, -1, 'WITHSCORES')[2])
redis.call('PUBLISH', stream, '')
