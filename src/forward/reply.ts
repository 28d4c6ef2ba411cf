/** Turns a response into a reply of a wire format: inflates its body, and reads its content type. */

import type { Buffer } from 'node:buffer';
import type { Media, Reply } from '../core/formats/index.ts';
import {
  BoundedMap,
  charsetIn,
  charsetLabel,
  charsetOf,
  codingOf,
  inflate,
  inflateRatioMax,
  mediaTypeIn,
  NotInflated,
} from '../core/lib/index.ts';
import type { IncomingResponse } from './connections.ts';
import { UpstreamFailure } from './failure.ts';

/** Returns a promise for a compressed body only. Throws `UpstreamFailure`. */
export function replyOf(response: IncomingResponse, bytesMax: number): Reply | Promise<Reply> {
  const { status, headers, body } = response;
  const coding = codingOf(headers['content-encoding']);
  const media = known.getOrCreate(headers['content-type'] ?? '', parseMedia);
  if (coding === undefined || body.length === 0) return { status, media, headers, body };
  if (coding === 'unknown') throw new UpstreamFailure('encoding', 'unknown', { detail: String(status) });
  return inflated(response, coding, bytesMax).then((bytes) => ({ status, media, headers, body: bytes }));
}

async function inflated(
  { status, body }: IncomingResponse,
  coding: 'gzip' | 'deflate',
  bytesMax: number,
): Promise<Buffer> {
  try {
    return await inflate(body, coding, { bytesMax, ratioMax: inflateRatioMax });
  } catch (cause) {
    if (!(cause instanceof NotInflated)) throw cause;
    throw new UpstreamFailure(cause.fault === 'malformed' ? 'encoding' : 'tooLarge', 'unknown', {
      cause,
      isSuccess: status < 300,
    });
  }
}

/** The label of a charset that is not supported; text in it is not decoded. */
export function unknownCharset(contentType: string | undefined): string | undefined {
  const label = charsetLabel(contentType);
  return label === undefined || charsetOf(label) !== undefined ? undefined : label;
}

/** Servers send the same few headers. */
const known = new BoundedMap<string, Media>(100);

function parseMedia(contentType: string): Media {
  return Object.freeze({ type: mediaTypeIn(contentType), charset: charsetIn(contentType) });
}
