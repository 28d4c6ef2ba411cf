/** Inflates compressed request bodies within bounds. Throws Problems. */
import type { Buffer } from 'node:buffer';
import { describe, Problem } from '../contract/problem.ts';
import { unsupportedMedia } from '../formats/unsupported-media.ts';
import { type ContentCoding, codingOf as codingIn, type InflateLimits, inflate, NotInflated } from '../lib/inflate.ts';

export { type ContentCoding, type InflateLimits, inflateRatioMax } from '../lib/inflate.ts';

/** The coding of a Content-Encoding header; undefined for an identity. Refuses others, and several codings. */
export function codingOf(header: string | undefined): ContentCoding | undefined {
  const coding = codingIn(header);
  if (coding !== 'unknown') return coding;
  throw unsupportedMedia('Content-Encoding', ['gzip', 'deflate'], {
    reason: 'contentEncoding',
    headers: { 'Accept-Encoding': 'gzip, deflate, identity' },
  });
}

export async function inflateBody(bytes: Buffer, coding: ContentCoding, limits: BodyLimits): Promise<Buffer> {
  try {
    return await inflate(bytes, coding, limits);
  } catch (thrown) {
    throw thrown instanceof NotInflated ? toProblem(thrown, coding, limits) : thrown;
  }
}

/** The refusal of a body that is larger than its limit. `setting`: the one that raises the limit. */
export function tooLarge(bytesMax: number, setting: string | undefined): Problem {
  const message = describe('tooLarge', String(bytesMax));
  return new Problem('tooLarge', setting === undefined ? message : `${message}; ${setting} raises it`);
}

/** Limits of an inflated body, and the setting that raises them. */
export interface BodyLimits extends InflateLimits {
  readonly setting?: string | undefined;
}

function toProblem({ fault, cause }: NotInflated, coding: ContentCoding, { bytesMax, ratioMax, setting }: BodyLimits) {
  switch (fault) {
    case 'malformed':
      return new Problem('badRequest', `Body is not ${coding}`, { reason: 'notInflated', cause });
    case 'tooLarge':
      return tooLarge(bytesMax, setting);
    case 'ratio':
      return new Problem('tooLarge', `Request inflates to more than ${ratioMax} times its size`, { reason: 'ratio' });
    default:
      return fault satisfies never;
  }
}
