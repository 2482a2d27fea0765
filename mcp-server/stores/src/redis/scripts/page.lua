-- Returns the position of the latest message, and the position, the position before, and the message
-- of those after a position. One message at a time is read, because several may be too large.
-- KEYS: the log, the latest position. ARGV: the position, the maximum number of messages, and the
-- size in bytes with which a page ends.
local page = { redis.call('GET', KEYS[2]) or '0' }
local after = ARGV[1]
local bytes = 0
for _ = 1, ARGV[2] do
  local entry = redis.call('XRANGE', KEYS[1], '(' .. after .. '-0', '+', 'COUNT', 1)[1]
  if not entry or bytes >= tonumber(ARGV[3]) then
    break
  end
  after = string.match(entry[1], '^%d+')
  page[#page + 1] = after
  page[#page + 1] = entry[2][2]
  page[#page + 1] = entry[2][4]
  bytes = bytes + #entry[2][4]
end
return page
