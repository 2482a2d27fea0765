-- Returns whether a stream has ended, and the numbers and messages of the events after a number.
-- KEYS: the stream. ARGV: the number.
local state = redis.call('HMGET', KEYS[1], 'first', 'last', 'ended')
if not state[2] then return false end
local page = { state[3] }
for number = math.max(tonumber(state[1]), ARGV[1] + 1), tonumber(state[2]) do
  local name = string.format('%.0f', number)
  local message = redis.call('HGET', KEYS[1], name)
  if message then
    page[#page + 1] = name
    page[#page + 1] = message
  end
end
return page
