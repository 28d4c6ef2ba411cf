/** Inflates compressed request bodies within bounds. Throws Problems. */
import { adviceAt, describe, Problem } from '../core/contract/index.ts';
import { unsupportedMedia } from '../core/formats/index.ts';
import { type ContentCoding, codingOf as codingIn, type InflateLimits, NotInflated } from '../core/lib/index.ts';

export { type ContentCoding, type InflateLimits, InflatingStream, inflateRatioMax } from '../core/lib/index.ts';

/** The coding of a Content-Encoding header; undefined for an identity. Refuses others, and several codings. */
export function codingOf(header: string | undefined): ContentCoding | undefined {
  const coding = codingIn(header);
  if (coding !== 'unknown') return coding;
  throw unsupportedMedia('Content-Encoding', ['gzip', 'deflate'], {
    reason: 'contentEncoding',
    headers: { 'Accept-Encoding': 'gzip, deflate, identity' },
  });
}

/** The refusal of a body that is larger than its limit. `setting`: the one by which the operator raises the limit. It is in the log. */
export function tooLarge(bytesMax: number, setting: string | undefined): Problem {
  const advice = `send no more than ${bytesMax} bytes, or ask the operator of this service to allow more`;
  return new Problem('tooLarge', describe('tooLarge', String(bytesMax)), {
    ...adviceAt('Content-Length', advice),
    ...(setting !== undefined && { reason: setting }),
  });
}

/** Limits of an inflated body, and the setting that raises them. */
export interface BodyLimits extends InflateLimits {
  readonly setting?: string | undefined;
}

/** The refusal of a body that inflates to too many times its size. */
export function ratioExceeded(ratioMax: number): Problem {
  return new Problem('tooLarge', `Request inflates to more than ${ratioMax} times its size`, { reason: 'ratio' });
}

/** Returns the refusal of a body that is not in its coding, and any other error as it is. */
export function inflateProblem(thrown: unknown, coding: ContentCoding): unknown {
  if (!(thrown instanceof NotInflated)) return thrown;
  return new Problem('badRequest', `Body is not ${coding}`, { reason: 'notInflated', cause: thrown.cause });
}
