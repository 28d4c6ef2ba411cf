/** The refusal of a media type, charset or encoding: it says what to send instead. */
import { describe, Problem } from '../contract/index.ts';

interface Details {
  /** For logs and metrics. */
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `Unsupported media type: send charset utf-8 or us-ascii`. */
export function unsupportedMedia(what: string, choices: readonly string[], details: Details = {}): Problem {
  return new Problem('unsupportedMedia', `${describe('unsupportedMedia')}: send ${what} ${listOf(choices)}`, details);
}

/** `a, b or c`. */
function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}
