/** The error for a message that cannot be converted, with its place in the message. */
import type { Buffer } from 'node:buffer';
import type { Problem } from '../core/contract/index.ts';

/** A message that cannot be converted: it is malformed, it does not say what it is, or a format cannot carry it. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  /** `malformed`, `unnamed` where an option must name what the message does not, or `target`. */
  readonly reason: 'malformed' | 'unnamed' | 'target';
  /** Counts from 1; absent where the place is not known. */
  readonly line: number | undefined;
  /** In characters, from 1. */
  readonly column: number | undefined;

  constructor(
    reason: ConversionError['reason'],
    message: string,
    position: { readonly line?: number; readonly column?: number } = {},
  ) {
    super(message);
    this.reason = reason;
    this.line = position.line;
    this.column = position.column;
  }
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The error for a body that a format has refused. `linesBefore`: the lines of its head. */
export function malformed(problem: Problem, body: Buffer, linesBefore: number): ConversionError {
  const found = positionOf(problem, body);
  if (found === undefined) return new ConversionError('malformed', problem.message);
  const { line, column } = { ...found, line: found.line + linesBefore };
  const message = problem.message.replace(placePattern, '');
  return new ConversionError('malformed', `${message}, line ${line}, column ${column}`, { line, column });
}

/** The place that a parser adds to its reason. */
const placePattern = /, (?:line (\d+), column (\d+)|offset (\d+)|byte (\d+)|pair (\d+))$/;

function positionOf(problem: Problem, body: Buffer): Position | undefined {
  const [, line, column, offset, byte, pair] = placePattern.exec(problem.message) ?? [];
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) };
  if (offset !== undefined) return after(body.toString('utf8').replace(/^\ufeff/, ''), Number(offset));
  if (byte !== undefined) return afterBytes(body, Number(byte));
  if (pair !== undefined) return startOfPair(body.toString('latin1'), Number(pair));
  return undefined;
}

function after(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 };
}

function afterBytes(body: Buffer, byte: number): Position {
  const before = body.subarray(0, byte).toString('utf8');
  return after(before, before.length);
}

/** Pairs count from 1; empty ones do not count. */
function startOfPair(text: string, pair: number): Position {
  const starts = [...text.matchAll(/[^&]+/g)];
  return after(text, starts[pair - 1]?.index ?? 0);
}
