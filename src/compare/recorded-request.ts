/** The format of recordings: one request and its answer in a line of JSON, in canonical form. docs/record.md describes it. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

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

/** The files of a recording, in the order of their names, which begin with their times. `path`: a file, or a folder of files. */
export async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /\.jsonl(\.gz)?$/.test(name));
  return names.sort().map((name) => join(path, name));
}

/** Reads a file, compressed or not. The last line of a file that is being written may be cut off: it is left out. Throws RecordingError. */
export async function* readRecording(file: string): AsyncGenerator<RecordedRequest> {
  const source = createReadStream(file);
  const input = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  // The stream that is read reports the failures of both.
  source.on('error', (failure) => input.destroy(failure));
  let number = 0;
  let unread: RecordingError | undefined;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (unread !== undefined) throw unread;
    if (line === '') continue;
    const record = line.length > lineLengthMax ? undefined : parse(line);
    if (record === undefined) unread = new RecordingError(`${file}: line ${number} is no recorded request`);
    else yield record;
  }
}

function parse(line: string): RecordedRequest | undefined {
  try {
    const record = JSON.parse(line) as Partial<RecordedRequest> | null;
    const { at, service, version, operation, input } = record ?? {};
    const isRecord =
      [at, service, operation].every((each) => typeof each === 'string') &&
      typeof version === 'number' &&
      typeof input === 'object';
    return isRecord ? (record as RecordedRequest) : undefined;
  } catch {
    return undefined;
  }
}

/** The record that the sealed members of a request belong to, for the vault. */
export function sealedRecordOf({ at, reference }: Pick<RecordedRequest, 'at' | 'reference'>): string {
  return `recording ${at} ${reference}`;
}
