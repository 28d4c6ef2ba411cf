/** JSONL: one JSON object a line, read as strictly as the body of a JSON request. Empty lines are no rows. */
import type { Buffer } from 'node:buffer';
import type { ObjectSchema } from '../contract/schema.ts';
import { parse } from '../formats/json/parse.ts';
import { reader } from '../formats/json/read.ts';
import { type Line, lineBytesMax, linesOf } from './lines.ts';
import { compileRow, type Found, type Outcome, unreadable } from './row.ts';

/** Compiles the reading of one JSON object, wherever its bytes come from. */
export const jsonReader = <R>(shape: ObjectSchema): ((bytes: Buffer) => Outcome<R>) => {
  const readTree = compileRow<R, unknown>(shape, reader);
  return (bytes) => {
    const parsed = parse(bytes);
    return 'fault' in parsed ? unreadable(parsed.fault) : readTree(parsed.tree);
  };
};

const lineReader = <R>(shape: ObjectSchema): ((line: Line) => Outcome<R>) => {
  const readJson = jsonReader<R>(shape);
  return ({ bytes }) =>
    bytes === undefined ? unreadable(`the line is longer than ${lineBytesMax} bytes`) : readJson(bytes);
};

const isBlank = ({ bytes }: Line): boolean => bytes?.every((byte) => byte === 0x20 || byte === 0x09) === true;

export async function* jsonlRows<R>(shape: ObjectSchema, stream: AsyncIterable<Buffer>): AsyncGenerator<Found<R>> {
  const readLine = lineReader<R>(shape);
  for await (const line of linesOf(stream)) {
    if (isBlank(line)) continue;
    yield { line: line.number, bytesDone: line.bytesDone, read: () => readLine(line) };
  }
}
