-- The load of one round: a list call for a different shopper each time. All requests are built before the clock starts.
-- Arguments: the number of shoppers, and the body with SHOPPER where the shopper's reference belongs.

local requests = {}
local at = 0

-- A prime, so that neighbouring requests ask for shoppers far apart and every one of them has its turn.
local stride = 7919

function init(args)
  local count = tonumber(args[1])
  local template = args[2]
  for number = 1, count do
    local body = template:gsub("SHOPPER", string.format("shopper-%06d", number))
    requests[number] = wrk.format("POST", nil, nil, body)
  end
end

function request()
  at = (at + stride) % #requests
  return requests[at + 1]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"bytes":%d,"us":%d,"failed":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d},"p50Us":%d,"p99Us":%d}\n',
    summary.requests, summary.bytes, summary.duration,
    errors.connect, errors.read, errors.write, errors.timeout, errors.status,
    latency:percentile(50), latency:percentile(99)))
end
