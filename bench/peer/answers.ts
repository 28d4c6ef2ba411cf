/** The answers that a peer holds in memory, as Triglyph gave them. */
import { readFileSync } from 'node:fs';

export interface Answers {
  /** By the shopper's reference. */
  readonly json: Readonly<Record<string, object>>;
  /** The text of each answer, in FORM. */
  readonly form: Readonly<Record<string, string>>;
}

export function answersOf<F extends keyof Answers>(format: F): Map<string, Answers[F][string]> {
  const answers = JSON.parse(readFileSync(process.env.ANSWERS!, 'utf8')) as Answers;
  return new Map(Object.entries(answers[format])) as Map<string, Answers[F][string]>;
}

/** The pairs as an object, which the peer prints anew for each answer. */
export function pairsOf(form: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(form));
}
