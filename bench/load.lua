-- The load of one round: each request is for another shopper. All requests are built before the clock starts.
-- Arguments: the number of shoppers, the body with the placeholder SHOPPER, and for writes with keys their prefix. With
-- `replayed` as the last one, each shopper has one key.

local requests = {}
local at = 0

-- A prime: consecutive requests are for distant shoppers, and each shopper has its turn.
local stride = 7919

local prefix
local replayed
local bodies = {}
local sent = 0

function init(args)
  local count = tonumber(args[1])
  local template = args[2]
  prefix = args[3]
  replayed = args[4] == "replayed"
  for number = 1, count do
    local body = template:gsub("SHOPPER", string.format("shopper-%06d", number))
    bodies[number] = body
    requests[number] = wrk.format("POST", nil, nil, body)
  end
end

function request()
  at = (at + stride) % #requests
  if prefix == nil then return requests[at + 1] end
  sent = sent + 1
  wrk.headers["Idempotency-Key"] = prefix .. (replayed and at or sent)
  return wrk.format("POST", nil, nil, bodies[at + 1])
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"bytes":%d,"us":%d,"failed":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d},"p50Us":%d,"p99Us":%d}\n',
    summary.requests, summary.bytes, summary.duration,
    errors.connect, errors.read, errors.write, errors.timeout, errors.status,
    latency:percentile(50), latency:percentile(99)))
end
