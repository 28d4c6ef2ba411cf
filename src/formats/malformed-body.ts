/** A body that is no message at all: the one problem for each reason that a reader gives. */
import { Problem, type ProblemName } from '../contract/problem.ts';

/** Reasons that lie in the bytes rather than in the text; all others are `undecodable`. */
const inTheBytes: Readonly<Record<string, ProblemName>> = Object.freeze({
  'not UTF-8': 'unreadable',
  'not UTF-16': 'unreadable',
  'two byte order marks': 'unreadable',
  'charset and byte order mark disagree': 'unreadable',
  'byte order mark': 'unsupportedMedia',
});

/** `reason` is one of a fixed set of words, for the metrics and the log; the caller is not told. */
export const malformedBody = (reason: string): Problem =>
  new Problem(inTheBytes[reason] ?? 'undecodable', undefined, { reason });
