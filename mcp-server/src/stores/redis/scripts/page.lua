-- Returns the position of the latest message, and the position, the position before, and the message
-- of those after a position.
-- KEYS: the log, the latest position. ARGV: the position, the maximum number of messages.
local page = { redis.call('GET', KEYS[2]) or '0' }
local entries = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])
for _, entry in ipairs(entries) do
  page[#page + 1] = string.match(entry[1], '^%d+')
  page[#page + 1] = entry[2][2]
  page[#page + 1] = entry[2][4]
end
return page
