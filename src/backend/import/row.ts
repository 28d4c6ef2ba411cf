/** Reads a row of an import file: the result is a value of its schema, or every reason to refuse it. */
import {
  compileRead,
  dotted,
  type Issue,
  IssueCollector,
  type ObjectSchema,
  type Problem,
  problems,
  type Reader,
} from '../../core/contract/index.ts';
import { redact } from '../../core/lib/index.ts';

/** One reason to refuse a row; never holds what the row contains. */
export interface Reason {
  /** In dotted form; empty where it is the whole row. */
  readonly field: string;
  /** As callers of the interface know it. */
  readonly code: string;
  readonly message: string;
}

export type RowResult<R> = { readonly row: R } | { readonly reasons: readonly Reason[] };

/** The file cannot be read beyond some line: the message says which and how to correct it, and never quotes it. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** A row that was found and not yet read: rows that an earlier import has done need no reading. */
export interface FoundRow<R> {
  /** The line on which it starts, from 1. */
  readonly line: number;
  /** Bytes of the file up to its end. */
  readonly bytesDone: number;
  read(): RowResult<R>;
}

/** Compiles the reading of rows from one kind of tree, with the walk that reads the requests of callers. */
export function compileRow<R, N>(schema: ObjectSchema, reader: Reader<N>): (node: N) => RowResult<R> {
  const read = compileRead(schema, reader);
  return (node) => {
    const collector = new IssueCollector();
    const row = read(node, collector) as R | undefined;
    if (collector.issues.length > 0) return { reasons: collector.issues.map(reasonOf) };
    return row === undefined ? unreadable('the row is null') : { row };
  };
}

export function unreadable(fault: string): RowResult<never> {
  return { reasons: [{ field: '', code: problems.undecodable.code, message: fault }] };
}

export function reasonsOf(problem: Problem): readonly Reason[] {
  if (problem.issues.length > 0) return problem.issues.map(reasonOf);
  return [{ field: '', code: problem.code, message: problem.message }];
}

/** Column and member names come from the file, where a shifted row may have a card number for a name. */
function reasonOf({ path, kind, message }: Issue): Reason {
  return { field: redact(dotted(path)), code: kind.code, message: redact(message) };
}
