/** Problems for a body that cannot be parsed, by the reason that the parser gives. */
import { Problem, type ProblemName } from '../contract/problem.ts';

/** `reason` is one of a fixed set of texts. It goes to the log and the metrics and not to the caller. */
export function malformedBody(reason: string): Problem {
  return new Problem(byReason[reason] ?? 'undecodable', undefined, { reason });
}

/** Returns the tree that was parsed. Throws a Problem if the parser found a fault. */
export function requireTree<T>(parsed: { readonly tree: T } | { readonly fault: string }): T {
  if ('fault' in parsed) throw malformedBody(parsed.fault);
  return parsed.tree;
}

/** Reasons found in the bytes and not in the text; all others are `undecodable`. */
const byReason: Readonly<Record<string, ProblemName>> = Object.freeze({
  'not UTF-8': 'unreadable',
  'not UTF-16': 'unreadable',
  'not us-ascii': 'unreadable',
  'not windows-1252': 'unreadable',
  'two byte order marks': 'unreadable',
  'charset and byte order mark disagree': 'unreadable',
  'byte order mark': 'unsupportedMedia',
});
