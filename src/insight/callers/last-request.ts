/** The last request of a caller: its canonical input with masked secrets, sealed for the store. */

import {
  createRedactor,
  describeMasked,
  isSecret,
  type MaskSecrets,
  type Operation,
} from '../../core/contract/index.ts';
import type { Vault } from '../../core/vault/index.ts';
import { type SealedRequest, sealedRecordOf } from './caller-record.ts';

/** A request without issues, as it was decoded. */
export interface ReadRequest {
  readonly operation: Operation;
  readonly input: unknown;
  /** The version of the contract. */
  readonly version: number | undefined;
  /** How the caller has shown its credential. */
  readonly credential: 'basic' | 'apiKey';
}

/** What is stored of it. */
export interface LastRequest extends Pick<ReadRequest, 'version' | 'credential'> {
  /** Canonical, with masked members. */
  readonly input: unknown;
}

/** A larger request is not stored. Those of the built-in interface have less than 8 KiB. */
const charactersMax = 16_384;

export interface Sealing {
  readonly vault: Vault;
  readonly mask: MaskSecrets;
}

/** Undefined for a request that is too large. */
export function sealRequest(
  { vault, mask }: Sealing,
  tenant: string,
  id: string,
  { operation, input, version, credential }: ReadRequest,
): SealedRequest | undefined {
  const request: LastRequest = { version, credential, input: mask(operation.input, input) };
  const text = JSON.stringify(request);
  if (text.length > charactersMax) return undefined;
  const { keyId, dataKey, payload } = vault.seal({ tenant, record: sealedRecordOf(id) }, { payload: text });
  return { keyId, dataKey, payload: payload! };
}

/** Throws `VaultUnavailable` and `SealBroken`. */
export function openRequest(vault: Vault, tenant: string, id: string, sealed: SealedRequest): LastRequest {
  return JSON.parse(vault.open({ tenant, record: sealedRecordOf(id) }, sealed, 'payload')) as LastRequest;
}

/** Replaces masked members by texts that say that they are masked. */
export function markMasked(operation: Operation, input: unknown): unknown {
  return mark(operation.input, input);
}

const mark = createRedactor((schema) =>
  schema.kind === 'string' && isSecret(schema) ? (value) => describeMasked(String(value)) : undefined,
);

/** The dotted names of members that `markMasked` has replaced. */
export function maskedMembers(input: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof input === 'string') return /^<masked(?:, ends in .{1,4})?>$/s.test(input) ? [path.join('.')] : [];
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, each]) => maskedMembers(each, [...path, name]));
}
