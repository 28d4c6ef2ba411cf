/** CSV with a line of dotted column names (`card.number`); an empty cell is an absent field. */
import type { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { ObjectSchema } from '../contract/schema.ts';
import { type Node, treeOf } from '../formats/form/parse.ts';
import { reader } from '../formats/form/read.ts';
import { lineBytesMax } from './lines.ts';
import { compileRow, type Found, type Outcome, UnreadableFile, unreadable } from './row.ts';

/** What the parser gives for a record, with `info` and `raw` asked for. */
interface Parsed {
  readonly record: readonly string[];
  /** As it stands in the file, with the empty lines before it. */
  readonly raw: string;
  readonly info: { readonly bytes: number };
}

/** Ends of lines in a text; the parser's own count takes a Windows line end within quotes for two. */
const lineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

/** In our words: the parser's own quote what the file holds. */
const faultOf = (code: string): string => {
  switch (code) {
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a quoted cell goes on behind its closing quote';
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted cell is never closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `the row is longer than ${lineBytesMax} characters: a quoted cell may never be closed`;
    case 'INVALID_OPENING_QUOTE':
      return 'a quote stands in the middle of a cell';
    default:
      return 'the row is no CSV';
  }
};

/** The column names, or an UnreadableFile: with one wrong name, every row would be refused for it. */
const checkHeader = (names: readonly string[]): readonly string[] => {
  const trimmed = names.map((name) => name.trim());
  const planted = treeOf(trimmed.map((name) => [name, 'x']));
  if ('fault' in planted) throw new UnreadableFile(`line 1: the column names are not right: ${planted.fault}`);
  return trimmed;
};

const recordReader = <R>(shape: ObjectSchema) => {
  const readTree = compileRow<R, Node>(shape, reader);
  return (names: readonly string[], cells: readonly string[]): Outcome<R> => {
    if (cells.length !== names.length)
      return unreadable(`the row has ${cells.length} cells where the header has ${names.length} columns`);
    const pairs = names.map((name, index) => [name, cells[index]!] as const).filter(([, cell]) => cell !== '');
    const planted = treeOf(pairs);
    return 'fault' in planted ? unreadable(planted.fault) : readTree(planted.tree);
  };
};

/** Strict about UTF-8, where the parser would replace what it cannot read. */
async function* decoded(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 0;
  try {
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      yield text;
      lines += text.split('\n').length - 1;
    }
    yield decoder.decode();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new UnreadableFile(`the file is not UTF-8; what is not stands somewhere after line ${lines}`);
  }
}

/** Throws an UnreadableFile for a file that cannot be read on; the batches before it stand. */
export async function* csvRows<R>(shape: ObjectSchema, stream: AsyncIterable<Buffer>): AsyncGenerator<Found<R>> {
  const readRecord = recordReader<R>(shape);
  const parser = parse({
    bom: true,
    delimiter: ',',
    quote: '"',
    escape: '"',
    info: true,
    raw: true,
    max_record_size: lineBytesMax,
    relax_column_count: true,
    relax_quotes: false,
    skip_empty_lines: true,
    trim: false,
  });
  const source = Readable.from(decoded(stream));
  source.on('error', (thrown) => parser.destroy(thrown));
  source.pipe(parser);
  let names: readonly string[] | undefined;
  let before = 0;
  try {
    for await (const { record, raw, info } of parser as AsyncIterable<Parsed>) {
      const line = before + 1 + lineEnds(/^[\r\n]*/.exec(raw)![0]);
      before += lineEnds(raw);
      if (names === undefined) {
        names = checkHeader(record);
        continue;
      }
      const columns = names;
      yield { line, bytesDone: info.bytes, read: () => readRecord(columns, record) };
    }
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    throw new UnreadableFile(`line ${before + 1}: ${faultOf(thrown.code)}; mend it and import the file again`);
  } finally {
    source.destroy();
  }
  if (names === undefined) throw new UnreadableFile('the file is empty: its first line names the columns');
}
