/** Which headers of HTTP may be fields of operations, and which headers pass that no contract names. */

/** How a message is framed, and what counts for one connection alone (RFC 9110, section 7.6.1). */
const framing =
  'connection|content-encoding|content-length|content-type|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade';

/** The headers of a request that the gateway writes itself: what it accepts, and who the caller is. */
const ofRequest = 'accept|accept-encoding|authorization|cookie|expect|forwarded|host|via|x-forwarded-.*';

/** Commands to a proxy in front of the gateway: to send a file, to ask elsewhere, to cache. A sender is known by its prefix. */
const ofProxies = 'surrogate-.*|x-sendfile.*|x-(?:accel|appengine|envoy|lighttpd|litespeed|reproxy)-.*';

const reservedInRequests = new RegExp(`^(?:${framing}|${ofRequest})$`, 'i');
const reservedInAnswers = new RegExp(`^(?:${framing}|${ofProxies})$`, 'i');

/** Whether a request may have a header for a parameter. */
export function isOwnHeader(name: string): boolean {
  return isName(name) && !reservedInRequests.test(name);
}

/** Whether a header of an answer may be a field, and reach callers. */
export function isAnswerHeader(name: string): boolean {
  return isName(name) && !reservedInAnswers.test(name);
}

/** A token of HTTP. Objects with headers have inherited members: a header that is called like one would always seem to be there. */
function isName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !(name.toLowerCase() in Object.prototype);
}

/** Headers of answers that callers get from a server though its contract does not name them: they describe the content, its use and the rate of requests. */
const allowed =
  /^(?:accept-(?:patch|post|ranges)|age|allow|cache-control|content-(?:digest|disposition|language|location)|deprecation|etag|expires|last-modified|link|location|preference-applied|ratelimit(?:-[a-z-]+)?|repr-digest|retry-after|sunset|vary|x-(?:correlation-id|rate-?limit-[a-z-]+|total|total-(?:count|pages)|(?:next-|prev-|per-)?page))$/;

/** Those that each answer of the gateway has. */
const ofGateway: ReadonlySet<string> = new Set(['traceparent', 'x-content-type-options', 'x-request-id']);

/** Whether callers get a header of an answer. `name`: in lower case. `declared`: the names in the contract, in lower case. */
export function isPassedToCallers(name: string, declared: ReadonlySet<string>): boolean {
  return isAnswerHeader(name) && !ofGateway.has(name) && (declared.has(name) || allowed.test(name));
}
