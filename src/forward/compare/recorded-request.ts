/** The format of recordings: one request and its answer in a line of JSON, in canonical form. docs/record.md describes it. */
import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { isMembers } from '../../core/lib/index.ts';

/** A request that was answered. Sensitive members are masked. */
export interface RecordedRequest {
  /** When it was answered, in UTC: `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
  readonly service: string;
  readonly version: number;
  readonly operation: string;
  readonly effect: 'reads' | 'writes';
  readonly format: string;
  /** The credential, or the hash of one that another server knows. */
  readonly caller: string;
  readonly tenant: string;
  readonly client?: string | undefined;
  readonly reference: string;
  /** It had an Idempotency-Key, which is not recorded; `replayed`: and was answered by the outcome of an earlier one. */
  readonly key?: 'sent' | 'replayed';
  /** `ok`, or the name of the problem. */
  readonly outcome: string;
  /** Of HTTP. */
  readonly status: number;
  /** From the head of the request to the answer. */
  readonly ms: number;
  readonly input: unknown;
  /** Members of `input` are masked, so that it cannot be sent again without `sealed`. */
  readonly isMasked?: true;
  /** The input in full, but for what may never be stored, as the vault has sealed it. */
  readonly sealed?: { readonly keyId: string; readonly dataKey: string; readonly payload: string };
  readonly output?: unknown;
  readonly refusal?: { readonly code: string; readonly message: string };
}

/** A line of a recording that is none. */
export class RecordingError extends Error {}

/** A longer line is no recorded request. */
const lineLengthMax = 16 * 1024 * 1024;
/** Of one file, without compression. Files of this program have a hundredth of it. */
const fileBytesMax = 2 * 1024 * 1024 * 1024;

/** The files of a recording, in the order of their names, which begin with their times. `path`: a file, or a folder of files. */
export async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = new Set((await readdir(path)).filter((name) => /\.jsonl(\.gz)?$/.test(name)));
  // A process that was killed has compressed a file, and not removed it.
  for (const name of names) if (name.endsWith('.gz')) names.delete(name.slice(0, -'.gz'.length));
  return [...names].sort().map((name) => join(path, name));
}

/** A request with its line in the file, from 1, and the bytes of the file that were read so far. */
interface ReadRequest {
  readonly record: RecordedRequest;
  readonly line: number;
  readonly bytes: number;
}

/**
 * Reads a file, compressed or not. The last line may be cut off, by a disk that was full or since it is being written: it is left out. Throws
 * RecordingError for a damaged file, a line that is none, and one or a file that is too large.
 */
export async function* readRecording(file: string): AsyncGenerator<ReadRequest> {
  // A gateway may have compressed it since it was listed: the lines are the same.
  const path = !existsSync(file) && existsSync(`${file}.gz`) ? `${file}.gz` : file;
  const source = createReadStream(path);
  const input = path.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  // The stream that is read reports the failures of both.
  source.on('error', (failure) => input.destroy(failure));
  let line = 0;
  let unread: RecordingError | undefined;
  for await (const text of linesOf(input, file)) {
    line += 1;
    if (unread !== undefined) throw unread;
    if (text === '' || gap.test(text)) continue;
    const record = parseRecord(text);
    if (record === undefined) unread = new RecordingError(`${file}: line ${line} is no recorded request`);
    else yield { record, line, bytes: source.bytesRead };
  }
}

/** The lines of a stream without their ends. A line, or a file that was packed to be small, takes no more memory than the limit. */
async function* linesOf(input: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  let rest = '';
  try {
    for await (const chunk of input) {
      bytes += chunk.length;
      if (bytes > fileBytesMax) throw new RecordingError(`${file} has more than ${fileBytesMax} bytes`);
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > lineLengthMax)
        throw new RecordingError(`${file} has a line of more than ${lineLengthMax} characters`);
      yield* lines;
    }
  } catch (thrown) {
    if (thrown instanceof RecordingError) throw thrown;
    throw new RecordingError(`${file} is damaged or cut off: ${(thrown as Error).message}`, { cause: thrown });
  }
  yield rest + decoder.end();
}

/** What stands for lines that were lost. */
const gap = /^\{"missing":\d+\}\r?$/;

/** Texts of a recording become headers and lines of a terminal. */
const plainText = /^[\x20-\x7e]{0,300}$/;

/** Reads one line. Undefined for what is no recorded request. */
export function parseRecord(line: string): RecordedRequest | undefined {
  try {
    const record = JSON.parse(line) as Partial<RecordedRequest> | null;
    const { at, service, version, operation, format, caller, tenant, reference, status, ms, input, sealed, refusal } =
      record ?? {};
    const isRecord =
      [at, service, operation, format, reference].every((each) => typeof each === 'string' && plainText.test(each)) &&
      isIsoTime(at ?? '') &&
      [caller, tenant].every((each) => typeof each === 'string' && each.length <= textMax) &&
      [version, status].every((each) => Number.isInteger(each)) &&
      typeof ms === 'number' &&
      ms >= 0 &&
      ms <= msMax &&
      isMembers(input) &&
      isNestedAtMost(record, levelsMax) &&
      (sealed === undefined || Object.values(sealed).every((each) => typeof each === 'string')) &&
      (refusal === undefined || (typeof refusal.code === 'string' && typeof refusal.message === 'string'));
    return isRecord ? (record as RecordedRequest) : undefined;
  } catch {
    return undefined;
  }
}

const textMax = 1_000;
/** No answer takes longer. */
const msMax = 31 * 24 * 60 * 60 * 1000;

/** Objects and lists in each other, which are printed and masked level by level. */
const levelsMax = 500;

function isNestedAtMost(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isNestedAtMost(each, levels - 1));
}

/** Texts such as 2026-01-31T12:00:00.000Z. Other forms reach years that no Date has. */
function isIsoTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The record that the sealed members of a request belong to, for the vault. */
export function sealedRecordOf({ at, reference }: Pick<RecordedRequest, 'at' | 'reference'>): string {
  return `recording ${at} ${reference}`;
}
