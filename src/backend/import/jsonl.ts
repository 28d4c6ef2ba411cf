/** Reads JSONL: one JSON object a line, as strictly as the body of a JSON request. Empty lines are not rows. */
import type { Buffer } from 'node:buffer';
import type { ObjectSchema } from '../../core/contract/index.ts';
import { decodeText, parseDecoded, jsonReader as reader } from '../../core/formats/index.ts';
import { type Line, lineBytesMax, linesOf } from './lines.ts';
import { compileRow, type FoundRow, type RowResult, unreadable } from './row.ts';

export async function* jsonlRows<R>(schema: ObjectSchema, stream: AsyncIterable<Buffer>): AsyncGenerator<FoundRow<R>> {
  const readJson = jsonReader<R>(schema);
  const readLine = ({ bytes }: Line): RowResult<R> =>
    bytes === undefined ? unreadable(`the line is longer than ${lineBytesMax} bytes`) : readJson(bytes);
  for await (const line of linesOf(stream)) {
    if (isBlank(line)) continue;
    yield { line: line.number, bytesDone: line.bytesDone, read: () => readLine(line) };
  }
}

/** Compiles the reading of one JSON object, from a file or from a response. */
export function jsonReader<R>(schema: ObjectSchema): (bytes: Buffer) => RowResult<R> {
  const readTree = compileRow<R, unknown>(schema, reader);
  return (bytes) => {
    const parsed = parseDecoded(decodeText(bytes));
    return 'fault' in parsed ? unreadable(parsed.fault) : readTree(parsed.tree);
  };
}

function isBlank({ bytes }: Line): boolean {
  return bytes?.every((byte) => byte === 0x20 || byte === 0x09) === true;
}
