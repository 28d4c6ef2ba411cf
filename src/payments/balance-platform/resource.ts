/** Kinds of resources, and resources as the store has them. */

import type { Operation, Transitions } from '../../core/contract/index.ts';
import type { Sealed, Vault } from '../../core/vault/index.ts';
import type { OperationHandlers, Table } from '../../stores/index.ts';
import { type ResourceStatements, resourceStatements } from './store/statements.ts';
import { resourceTable, type TableOptions } from './store/tables.ts';

/** The members of a record that every resource has. */
export interface ResourceRecord {
  readonly id: string;
  readonly status: string;
  readonly reference?: string | undefined;
}

/** What every resource has in common with the others of its kind. `R` is its record, as responses contain it. */
export interface ResourceKind<R extends ResourceRecord = ResourceRecord> extends Omit<KindParts<R>, 'table'> {
  readonly table: Table;
  readonly statements: ResourceStatements;
}

interface KindParts<R extends ResourceRecord> {
  /** `accountHolder`, as events name it. */
  readonly name: string;
  /** The statuses that may follow each status. */
  readonly lifecycle: Transitions<R['status']>;
  /** The name of its table, and what differs from the tables of other kinds. */
  readonly table: string;
  readonly tableOptions?: TableOptions;
  /** Absent where the parent is the platform. */
  readonly parent?: Parent<R>;
  /** Present where the kind has a sealed number, unique across all platforms. */
  readonly sealed?: SealedNumber<R>;
  /** Present where the kind has other sealed members. */
  readonly sealedPayload?: true;
}

interface Parent<R extends ResourceRecord> {
  readonly kind: ResourceKind;
  idOf(record: R): string;
}

interface SealedNumber<R extends ResourceRecord> {
  /** Whether the vault opens the number and computes the same fingerprint of it. Throws if it does not open. */
  isKnownTo(resource: StoredResource<R>, vault: Vault): boolean;
}

export function resourceKind<R extends ResourceRecord>(parts: KindParts<R>): ResourceKind<R> {
  const table = resourceTable(parts);
  return Object.freeze({ ...parts, table, statements: resourceStatements(table, parts) });
}

/** What the folder of a resource exports. */
export interface Resource<O extends Operation = Operation, R extends ResourceRecord = ResourceRecord> {
  readonly kind: ResourceKind<R>;
  readonly handlers: OperationHandlers<O>;
}

export interface StoredResource<R extends ResourceRecord = ResourceRecord> {
  readonly kind: ResourceKind<R>;
  readonly platform: string;
  /** Counts its states, from 1. */
  readonly revision: number;
  /** Without sealed values. */
  readonly record: R;
  /** The numbers of a payment instrument, or the sealed members of another kind. */
  readonly sealed?: Sealed | undefined;
  /** Of the number of a payment instrument: equal for equal numbers on all platforms. */
  readonly fingerprint?: string | undefined;
  /** Of a new number, while there are two index keys: under the other one. */
  readonly otherFingerprint?: string | undefined;
}

/** The resources of a parent: account holders of a platform, balance accounts of those, payment instruments of these. */
export interface Children<R extends ResourceRecord = ResourceRecord> {
  readonly kind: ResourceKind<R>;
  readonly platform: string;
  /** The id of the parent. */
  readonly parent: string;
}

export interface Range {
  readonly offset: number;
  readonly limit: number;
  /** Only those with this status. */
  readonly status?: string | undefined;
}
