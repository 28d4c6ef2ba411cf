/** Decodes a body in its format: that of the head, that of its first bytes, or that of its SOAP envelope. */
import type { Buffer } from 'node:buffer';
import type { Protocols } from '../formats/index.ts';
import { type Decoded, type Media, OtherFormat, type Protocol, type Target } from '../formats/protocol.ts';
import type { WireRequest } from '../formats/wire.ts';
import { type Detected, detect, refuseMedia } from './detect.ts';
import { identify } from './identify.ts';
import type { Route } from './route.ts';

/** What the head of a request says. */
export interface Head {
  readonly wire: WireRequest;
  readonly route: Route;
  readonly target: Target;
  readonly detected: Detected;
}

/** Sets `state.protocol` to the format of the body, in which a refusal is answered, too. */
export function decodeBody(body: Buffer, head: Head, protocols: Protocols, state: { protocol: Protocol }): Decoded {
  const { wire, target, detected } = head;
  const identified = detected.isUnidentified ? identifyBody(body, head, protocols, state) : undefined;
  const bytes = identified?.body ?? body;
  const media = identified?.media ?? detected.media;
  try {
    return state.protocol.decode(bytes, media, target, wire);
  } catch (thrown) {
    if (!(thrown instanceof OtherFormat)) throw thrown;
    state.protocol = protocols[thrown.format];
    return state.protocol.decode(bytes, media, target, wire);
  }
}

function identifyBody(
  received: Buffer,
  { wire, route, target, detected }: Head,
  protocols: Protocols,
  state: { protocol: Protocol },
): { readonly body: Buffer; readonly media: Media } {
  const { contentType, body } = identify(received, detected.media.type, wire.headers['content-type']);
  const found = detect(wire, route, protocols, contentType);
  state.protocol = found.protocol;
  if (!found.isReadable) throw refuseMedia(found, route, target, protocols);
  return { media: found.media, body };
}
