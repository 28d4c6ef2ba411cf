/** CSV with a line of dotted column names (`card.number`); an empty cell is an absent field. */
import type { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { ObjectSchema } from '../../core/contract/index.ts';
import { type Node, formReader as reader, treeOf } from '../../core/formats/index.ts';
import { checkColumns } from './columns.ts';
import { lineBytesMax } from './lines.ts';
import { compileRow, type FoundRow, type RowResult, UnreadableFile, unreadable } from './row.ts';

/** A record of the parser, with `info` and `raw` requested. */
interface CsvRecord {
  readonly record: readonly string[];
  /** The text in the file, with the empty lines before it. */
  readonly raw: string;
  readonly info: { readonly bytes: number };
}

/** Throws UnreadableFile where the file cannot be read further; the batches before that are committed. */
export async function* csvRows<R>(schema: ObjectSchema, stream: AsyncIterable<Buffer>): AsyncGenerator<FoundRow<R>> {
  const readRecord = recordReader<R>(schema);
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
  let linesBefore = 0;
  try {
    for await (const { record, raw, info } of parser as AsyncIterable<CsvRecord>) {
      const line = linesBefore + 1 + countLineEnds(/^[\r\n]*/.exec(raw)![0]);
      linesBefore += countLineEnds(raw);
      if (names === undefined) {
        names = checkHeader(record, schema);
        continue;
      }
      const columns = names;
      yield { line, bytesDone: info.bytes, read: () => readRecord(columns, record) };
    }
  } catch (thrown) {
    // The parser's error quotes the file, so it does not become the cause.
    if (!(thrown instanceof CsvError)) throw thrown;
    throw new UnreadableFile(`line ${linesBefore + 1}: ${faultOf(thrown.code)}; correct it and import the file again`);
  } finally {
    source.destroy();
  }
  if (names === undefined) throw new UnreadableFile('the file is empty: its first line names the columns');
}

/** Refuses text that is not UTF-8, where the parser would replace it. */
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
    throw new UnreadableFile(
      `the file is not UTF-8: save it as UTF-8, and import it again. The wrong bytes come after line ${lines}`,
      { cause: thrown },
    );
  }
}

/** Returns the column names. A wrong one makes the file unreadable, since every row would be refused for it. */
function checkHeader(names: readonly string[], schema: ObjectSchema): readonly string[] {
  const trimmed = names.map((name) => name.trim());
  const parsed = treeOf(trimmed.map((name) => [name, 'x']));
  if ('fault' in parsed) throw new UnreadableFile(`line 1: the column names are not right: ${parsed.fault}`);
  checkColumns(trimmed, schema);
  return trimmed;
}

function recordReader<R>(schema: ObjectSchema): (names: readonly string[], cells: readonly string[]) => RowResult<R> {
  const readTree = compileRow<R, Node>(schema, reader);
  return (names, cells) => {
    if (cells.length !== names.length)
      return unreadable(`the row has ${cells.length} cells where the header has ${names.length} columns`);
    const pairs = names.map((name, index) => [name, cells[index]!] as const).filter(([, cell]) => cell !== '');
    const parsed = treeOf(pairs);
    return 'fault' in parsed ? unreadable(parsed.fault) : readTree(parsed.tree);
  };
}

/** The parser's own count takes a Windows line end within quotes for two. */
function countLineEnds(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

function faultOf(code: string): string {
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
}
