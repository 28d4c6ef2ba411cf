/** What the simulation and the fault injection know of a resource. One file for each resource implements it. */

import type { HandlerContext } from '../../src/core/gateway/handler-context.ts';
import type { Transaction } from '../../src/stores/transaction.ts';
import type { Model } from '../simulation/model.ts';
import type { SimulatedRequest } from '../simulation/request.ts';
import type { Entry, SimDatabase } from '../simulation/sim-database.ts';
import type { ProblemName } from './problems.ts';

export interface TestResource {
  /** Emptied and refilled between runs; parents come first. */
  readonly tables: readonly string[];
  /** What clients send in random runs. */
  readonly workload: readonly WorkloadRequest[];
  /** What the crash matrix sends. */
  readonly crashCases: readonly CrashCase[];
  /** Refusals and statements that the runs have to produce; a run without them proves nothing. */
  readonly refusals: readonly ProblemName[];
  readonly statements: readonly string[];
  /** Stores what is there before the first request. */
  seed(transaction: Transaction, context: HandlerContext): Promise<void>;
  /** Adds the same to the model. */
  seedModel(model: Model): void;
  /** What a statement writes, as text. */
  effectsOf(entry: Entry): readonly string[];
  /** The text of an event; undefined for the event of another resource. */
  eventTextOf(event: StoredEvent): string | undefined;
  /** One line for each row, sorted. */
  storedLines(database: SimDatabase): readonly string[];
  modelLines(model: Model): readonly string[];
  readonly faultTrack: FaultTrack;
}

/** The payload of a webhook job: a stored detail, a resource or a voucher. */
export interface StoredEvent {
  readonly kind: string;
  readonly requestReference: string;
  readonly shopperReference?: string;
  readonly recurringDetailReference?: string;
  readonly operation?: string;
  readonly record?: { readonly id: string };
  readonly voucherOf?: string;
}

export interface WorkloadRequest {
  /** Requests of one pool compete for the same rows. */
  readonly pool: string;
  readonly request: SimulatedRequest;
}

export interface CrashCase {
  readonly request: SimulatedRequest;
  /** Another request under the same key. */
  readonly otherRequest: SimulatedRequest;
  readonly outcome: 'ok' | ProblemName;
  /** An external updater is asked. */
  readonly asksUpdater?: boolean;
  /** Calls that only this case makes. */
  readonly points?: readonly string[];
}

/** What clients of the fault injection do with one resource, and which effect belongs to which key. */
export interface FaultTrack {
  /** In the order in which a shopper's keys are used; the last one is not used for each shopper. */
  readonly keys: Readonly<Record<string, KeyUse>>;
  /** The members of a request outside its body. `id`: from the answer to the first key, where it has one. */
  addressing(shopper: string, id: string | undefined): object;
  /** Where effects are written, and the columns that identify their key. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The key that an effect belongs to; undefined for an effect that no key allows. */
  ownerOf(row: Row): { readonly shopper: string; readonly key: string } | undefined;
  /** A number in a row that may be issued only once, and the resource that it was issued to. */
  readonly issuedIn?: (row: Row) => { readonly number: string; readonly to: string };
}

/** What a key is used for. No two tracks have a key of the same name. */
export interface KeyUse {
  /** The name of the operation. */
  readonly operation: string;
  /** By name: `right` belongs to the key, the others do not. */
  readonly bodies: Readonly<Record<string, object>> & { readonly right: object };
}

/** Columns of a row as it was written, by their names. */
export type Row = Readonly<Record<string, string | null>>;
