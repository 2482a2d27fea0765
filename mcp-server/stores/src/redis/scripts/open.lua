-- Creates a stream, unless it exists. A stream is a hash: its events by number, the first and the
-- last number, the size of the events, whether it has ended, and what it is for.
-- KEYS: the stream, the streams of the session. ARGV: the time it is kept in ms, the maximum number
-- of streams, what the stream is for.
local stream, session = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('EXISTS', stream) == 0 then
  redis.call('ZREMRANGEBYSCORE', session, '-inf', string.format('(%.0f', now))
  local all = redis.call('ZRANGE', session, 0, -1)
  if #all >= tonumber(ARGV[2]) then
    local oldest = all[1]
    for _, other in ipairs(all) do
      if redis.call('HGET', other, 'ended') == '1' then
        oldest = other
        break
      end
    end
    redis.call('DEL', oldest)
    redis.call('ZREM', session, oldest)
    redis.call('PUBLISH', oldest, '')
  end
  redis.call('HSET', stream, 'first', 1, 'last', 0, 'bytes', 0, 'ended', 0, 'about', ARGV[3])
end
redis.call('PEXPIRE', stream, ARGV[1])
redis.call('ZADD', session, string.format('%.0f', now + ARGV[1]), stream)
redis.call('PEXPIREAT', session, redis.call('ZRANGE', session, -1, -1, 'WITHSCORES')[2])
