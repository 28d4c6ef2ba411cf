/** A track of a fault-injection run: the keys that clients use there for a shopper, their bodies, and which executions are theirs. */
import type { Operation, Role } from '../../../../src/contract/operation.ts';
import type { Service } from '../../../../src/contract/service.ts';
import type { Protocol } from '../../../../src/formats/protocol.ts';

/** What a key is used for. */
export interface KeyUse {
  readonly operation: Operation;
  /** By name: the one that the key belongs to, and others that it does not. */
  readonly bodies: Readonly<Record<string, object>> & { readonly right: object };
}

/** Columns of a row as it was written, by their names. */
export type Row = Readonly<Record<string, string | null>>;

export interface Track {
  /** The role of the credential that it takes. */
  readonly role: Role;
  readonly service: Service;
  /** At least one. */
  readonly protocols: readonly Protocol[];
  /** In the order in which a shopper's keys are used; the last one is not used for each. */
  readonly keys: Readonly<Record<string, KeyUse>>;
  /** What a request says beside its body. `made`: the id that the first key was answered, where the answer has one. */
  about(shopper: string, made: string | undefined): object;
  /** Where its effects are written, and what of a row tells whose they are. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The key that an execution belongs to; undefined for one that no key allowed. */
  ownerOf(row: Row): { readonly shopper: string; readonly key: string } | undefined;
  /** What in a row may be given out once only, and to what it was given. */
  readonly issuedIn?: (row: Row) => { readonly number: string; readonly to: string };
}
