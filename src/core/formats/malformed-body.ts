/** Problems for a body that cannot be parsed, by the reason that the parser gives. */
import { describe, type Issue, Problem, type ProblemName } from '../contract/index.ts';

/** Why a body cannot be parsed. */
export interface Fault {
  /** One of a fixed set of texts, for callers, logs and metrics. */
  readonly fault: string;
  /** The place in the body, for the caller: `line 1, column 7`. Computed after the parser has failed. */
  readonly where?: string | undefined;
}

/** `reason` and `where`: as in `Fault`. `issues`: what to do. */
export function malformedBody(reason: string, where?: string, issues: readonly Issue[] = []): Problem {
  const problem = byReason[reason] ?? 'undecodable';
  const text = where === undefined ? reason : `${reason}, ${where}`;
  return new Problem(problem, describe(problem, text), { reason, issues });
}

/** Returns the tree that was parsed. Throws a Problem if the parser found a fault. */
export function requireTree<T>(parsed: { readonly tree: T } | Fault): T {
  if ('fault' in parsed) throw malformedBody(parsed.fault, parsed.where);
  return parsed.tree;
}

/** Whether a body is malformed for its size alone. */
export function isTooLarge({ reason }: Problem): boolean {
  return sizeReasons.has(reason ?? '');
}

const sizeReasons: ReadonlySet<string> = new Set([
  'too many elements',
  'too many attributes',
  'too many members',
  'text too long',
]);

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
