/** Decodes a body in its format: that of the head, that of its first bytes, or that of its SOAP envelope. */
import type { Buffer } from 'node:buffer';
import type { Protocols } from '../formats/index.ts';
import { type Decoded, type Media, OtherFormat, type Target } from '../formats/protocol.ts';
import type { RequestState } from './answer.ts';
import { detect, requireReadable } from './detect.ts';
import { identify } from './identify.ts';

/** Sets `request.protocol` to the format of the body, in which a refusal is answered, too. */
export function decodeBody(received: Buffer, target: Target, request: RequestState, protocols: Protocols): Decoded {
  const { wire, detected } = request;
  const { body, media } = detected.isUnidentified
    ? identifyBody(received, target, request, protocols)
    : { body: received, media: detected.media };
  try {
    return request.protocol.decode(body, media, target, wire);
  } catch (thrown) {
    if (!(thrown instanceof OtherFormat)) throw thrown;
    request.protocol = protocols[thrown.format];
    return request.protocol.decode(body, media, target, wire);
  }
}

function identifyBody(
  received: Buffer,
  target: Target,
  request: RequestState,
  protocols: Protocols,
): { readonly body: Buffer; readonly media: Media } {
  const { wire, route, detected } = request;
  const { contentType, body } = identify(received, detected.media.type, wire.headers['content-type']);
  const found = detect(wire, route, protocols, contentType);
  request.protocol = found.protocol;
  requireReadable(found, route, target, protocols);
  return { media: found.media, body };
}
