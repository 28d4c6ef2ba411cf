/** Records requests and their answers in files, as values of the contract: what `triglyph replay` sends again. */

import type { Config } from '../../config/index.ts';
import { createRedactor, maskSensitive, maskText, type Operation } from '../../core/contract/index.ts';
import type { Answer, HttpFacts, RequestObserver } from '../../core/gateway/index.ts';
import { BoundedMap, type Clock } from '../../core/lib/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import { type RecordedRequest, sealedRecordOf } from '../../forward/index.ts';
import { RotatingFile } from './rotating-file.ts';

export interface RecorderParts {
  readonly clock: Clock;
  readonly vault: Vault;
  /** Counts requests: `recorded`, `dropped`. */
  readonly count: (kind: 'recorded' | 'dropped', times: number) => void;
  readonly onError: (thrown: unknown) => void;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

export interface RequestRecorder {
  readonly observer: RequestObserver;
  /** Writes what is buffered. */
  close(): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Shapes whose requests are counted: beyond them, the oldest shape counts anew. */
const shapesMax = 10_000;

/** Removes what may never be stored, sealed or not. */
const withoutUnstorable = createRedactor((schema) =>
  'neverStored' in schema && schema.neverStored ? () => undefined : undefined,
);

/** `RECORD` names the folder. Throws where it cannot be written. */
export function createRequestRecorder(
  folder: string,
  { recordShare, recordFirst, recordSensitive, recordBytesMax, recordDays }: Config,
  { clock, vault, count, onError, random = Math.random }: RecorderParts,
): RequestRecorder {
  const onDropped = (lines: number): void => count('dropped', lines);
  const file = new RotatingFile({
    folder,
    bytesMax: recordBytesMax,
    ageMax: recordDays * dayMs,
    clock,
    onDropped,
    onError,
  });
  const shapes = new BoundedMap<string, { count: number }>(shapesMax);
  const isFirst = ({ entry }: Answer, input: unknown): boolean => {
    const names = Object.keys(input as object)
      .sort()
      .join();
    const name = `${entry.service} ${entry.version} ${entry.operation} ${entry.protocol} ${entry.outcome} ${names}`;
    const shape = shapes.getOrCreate(name, () => ({ count: 0 }));
    shape.count += 1;
    return shape.count <= recordFirst;
  };
  return {
    observer: {
      answered(_request, answer, http) {
        const { decoded } = answer;
        // What is no value of the contract cannot be compared with the answer of another server.
        if (decoded === undefined || decoded.issues.length > 0 || answer.entry.credential === undefined) return;
        if (random() * 100 >= recordShare && !isFirst(answer, decoded.input)) return;
        const { operation, input } = decoded;
        const record = recordOf(answer, operation, http, clock);
        const masked = maskSensitive(operation.input, input);
        const isMasked = masked !== input && JSON.stringify(masked) !== JSON.stringify(input);
        const line: RecordedRequest = {
          ...record,
          input: masked,
          ...(isMasked && { isMasked: true }),
          ...(isMasked && recordSensitive === 'sealed' && { sealed: seal(vault, record, operation, input) }),
          ...(answer.output !== undefined && { output: maskSensitive(operation.output, answer.output) }),
        };
        file.write(JSON.stringify(line));
        count('recorded', 1);
      },
    },
    close: () => file.close(),
  };
}

function recordOf(
  { entry }: Answer,
  { effect, name }: Operation,
  { status, ms }: HttpFacts,
  clock: Clock,
): Omit<RecordedRequest, 'input'> {
  const { problem, weakKey, replayed } = entry;
  return {
    at: new Date(clock.now()).toISOString(),
    service: entry.service ?? '',
    version: entry.version ?? 0,
    operation: name,
    effect,
    format: entry.protocol,
    caller: entry.credential ?? '',
    tenant: entry.tenant ?? '',
    client: entry.client,
    reference: entry.requestReference,
    ...(weakKey !== undefined && { key: replayed ? 'replayed' : 'sent' }),
    outcome: entry.outcome,
    status,
    ms: Math.round(ms * 1000) / 1000,
    ...(problem !== undefined && { refusal: { code: problem.code, message: maskText(problem.message) } }),
  };
}

function seal(
  vault: Vault,
  record: Omit<RecordedRequest, 'input'>,
  { input: schema }: Operation,
  input: unknown,
): NonNullable<RecordedRequest['sealed']> {
  const scope = { tenant: record.tenant, record: sealedRecordOf(record) };
  const { keyId, dataKey, payload } = vault.seal(scope, { payload: JSON.stringify(withoutUnstorable(schema, input)) });
  return { keyId, dataKey, payload: payload! };
}
