/** What a row of a file comes to: a value of its shape to keep, or every reason why not. */
import { dotted } from '../contract/path.ts';
import { type Issue, type Problem, problems } from '../contract/problem.ts';
import { compileRead, IssueCollector, type Reader } from '../contract/read.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import { redact } from '../lib/redact.ts';

/** One reason; never holds what the row held. */
export interface Reason {
  /** In dotted form; empty where it is the whole row. */
  readonly field: string;
  /** As callers of the interface know it. */
  readonly code: string;
  readonly message: string;
}

export type Outcome<R> = { readonly row: R } | { readonly reasons: readonly Reason[] };

/** Not a file of rows, from some line on: the message says where and how to mend it, and never what is there. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** A row as it was found, not yet read: rows that are done already need not be. */
export interface Found<R> {
  /** Where it starts, from 1. */
  readonly line: number;
  /** Bytes of the file up to its end. */
  readonly bytesDone: number;
  read(): Outcome<R>;
}

// Column and member names come from the file, and a row that has slipped may have a number for a name.
const reasonOf = ({ path, problem, message }: Issue): Reason => ({
  field: redact(dotted(path)),
  code: problems[problem].code,
  message: redact(message),
});

export const unreadable = (fault: string): Outcome<never> => ({
  reasons: [{ field: '', code: problems.undecodable.code, message: fault }],
});

/** What the domain refuses a row for. */
export const reasonsOf = (problem: Problem): readonly Reason[] =>
  problem.issues.length > 0
    ? problem.issues.map(reasonOf)
    : [{ field: '', code: problem.code, message: problem.message }];

/** Compiles the reading of rows from one kind of tree: the walk that reads the requests of callers. */
export const compileRow = <R, N>(shape: ObjectSchema, reader: Reader<N>): ((node: N) => Outcome<R>) => {
  const read = compileRead(shape, reader);
  return (node) => {
    const findings = new IssueCollector();
    const row = read(node, findings) as R | undefined;
    if (findings.issues.length > 0) return { reasons: findings.issues.map(reasonOf) };
    return row === undefined ? unreadable('the row is null') : { row };
  };
};
