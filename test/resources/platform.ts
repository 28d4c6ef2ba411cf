/** The rules that all resources of a simulated balance platform share: seeds, statements, revisions, status and events. */

import type { ResourceKind, ResourceRecord, StoredResource } from '../../src/payments/balance-platform/resource.ts';
import { ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import { canonicalJson, eventText } from '../simulation/effect-text.ts';
import type { Expected, Refusal } from '../simulation/expected.ts';
import type { Model } from '../simulation/model.ts';
import type { Execution, SimulatedRequest } from '../simulation/request.ts';
import type { Entry, SimDatabase } from '../simulation/sim-database.ts';
import { findOperation } from './operations.ts';
import type { PlatformApi } from './platform-api.ts';
import type { ProblemName } from './problems.ts';
import type { TestResource } from './resource.ts';

export const balancePlatform = 'DemoPlatform';
export const legalEntityId = 'LE1';
/** The time zone of the platform. */
export const timeZone = 'Europe/Amsterdam';
/** The first holder has both accounts; the second one has none. Both are active. */
export const firstHolderId = 'AHFIRST000000000000000000';
export const secondHolderId = 'AHSECOND00000000000000000';
/** The first account is active; the second one is inactive, has no card, and is the primary account of the holder. */
export const firstAccountId = 'BAFIRST000000000000000000';
export const secondAccountId = 'BASECOND00000000000000000';

export type Status = 'inactive' | 'active' | 'suspended' | 'closed';

/** A resource as the model holds it. */
export interface ModelResource {
  /** The name of its kind. */
  readonly kind: string;
  readonly table: string;
  readonly parentId: string;
  readonly revision: number;
  readonly record: ModelRecord;
}

export interface ModelRecord {
  readonly id: string;
  readonly status: Status;
  /** Of an account. */
  readonly accountHolderId?: string;
  /** Of a payment instrument. */
  readonly balanceAccountId?: string;
  /** Of a holder. */
  readonly primaryBalanceAccount?: string | undefined;
  readonly [member: string]: unknown;
}

/** The changes of status that are refused, by kind. */
const refusedMoves: Readonly<Record<string, readonly string[]>> = {
  paymentInstrument: ['active to inactive', 'suspended to inactive'],
};

export const refused = (outcome: ProblemName, message: string): Refusal => ({ outcome, message });

/** The refusal of a change of status; undefined where the status may change, or stays. */
export function refusedChange({ kind, record }: ModelResource, to = record.status): Refusal | undefined {
  const from = record.status;
  if (from === 'closed') return refused('finallyClosed', 'What is closed cannot be changed any more');
  const move = `${from} to ${to}`;
  return refusedMoves[kind]?.includes(move) ? refused('illegalMove', `The status cannot go from ${move}`) : undefined;
}

/** All resources of the platform in the model. */
export class PlatformModel {
  /** Oldest first. */
  readonly #all = new Map<string, ModelResource>();
  /** States written since the effects were last read. */
  #written: (readonly ['add' | 'change', ModelResource])[] = [];
  readonly #issuedNumbers = new Set<string>();

  static create(): PlatformModel {
    return new PlatformModel();
  }

  seed(resource: ModelResource): void {
    this.#all.set(resource.record.id, resource);
  }

  get(id: string): ModelResource {
    const found = this.#all.get(id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  }

  /** The oldest child that is not closed. */
  oldestOpen(parentId: string): ModelResource | undefined {
    return [...this.#all.values()].find((each) => each.parentId === parentId && each.record.status !== 'closed');
  }

  add(resource: Omit<ModelResource, 'revision'>): Expected {
    const { id } = resource.record;
    if (this.#all.has(id)) throw new Error(`${id} was issued before`);
    return this.#write('add', { ...resource, revision: 1 });
  }

  /** A change that leaves the record as it is writes nothing. */
  change(id: string, changes: Partial<ModelRecord>): Expected {
    const before = this.get(id);
    const after = { ...before, record: { ...before.record, ...changes } };
    if (lineOf(before) === lineOf(after)) return answerOf(before);
    return this.#write('change', { ...after, revision: before.revision + 1 });
  }

  /** Throws for a number that was issued before. */
  issueNumber(fingerprint: string): void {
    if (this.#issuedNumbers.has(fingerprint)) throw new Error('a number was issued twice');
    this.#issuedNumbers.add(fingerprint);
  }

  /** The effects since the last call, as text. */
  takeEffects(pspReference: string): readonly string[] {
    const written = this.#written;
    this.#written = [];
    return written.flatMap(([verb, resource]) => {
      const { kind, record } = resource;
      const operation = verb === 'add' ? 'created' : 'updated';
      return [`${verb} ${lineOf(resource)}`, eventText(kind, record.id, operation, pspReference, storedRecord(record))];
    });
  }

  lines(kind: string): readonly string[] {
    return [...this.#all.values()]
      .filter((each) => each.kind === kind)
      .map(lineOf)
      .toSorted();
  }

  #write(verb: 'add' | 'change', resource: ModelResource): Expected {
    this.#all.set(resource.record.id, resource);
    this.#written.push([verb, resource]);
    return answerOf(resource);
  }
}

function answerOf({ record, revision }: ModelResource): Expected {
  return { outcome: 'ok', output: record, eTag: `"${revision}"` };
}

function lineOf({ table, parentId, revision, record }: ModelResource): string {
  return rowText(table, [record.id, parentId, record.status, revision], storedRecord(record));
}

/** A legal entity is sealed: records and events do not have it. */
function storedRecord(record: ModelRecord): object {
  return 'legalEntityId' in record ? { ...record, legalEntityId: '' } : record;
}

/** `columns`: those after the platform, without the record. */
const rowText = (table: string, columns: readonly unknown[], record: object): string =>
  [table, ...columns, canonicalJson(record)].join(' ');

/** `apply`: what the request does to the platform. `input`: members that every such request has, in addition to `body`. */
export function platformRequest(
  operation: string,
  body: Readonly<Record<string, unknown>>,
  apply: (platform: PlatformModel, execution: Execution) => Expected,
  input: object = {},
): SimulatedRequest {
  return {
    ...findOperation(operation),
    text: [operation, ...Object.values(body)].join(' '),
    input: { ...body, ...input },
    apply: (model, execution) => {
      const platform = model.state(PlatformModel.create);
      const expected = apply(platform, execution);
      return { expected, effects: platform.takeEffects(execution.pspReference) };
    },
  };
}

/** The id that the gateway chose for a new resource. */
export function newIdIn({ entries }: Execution): string {
  const id = entries.find(({ statement }) => statement.name.startsWith('add-'))?.parameters[1];
  if (id === undefined || id === null) throw new Error('a new resource has no id');
  return String(id);
}

interface PlatformResource<R extends ResourceRecord>
  extends Pick<TestResource, 'workload' | 'crashCases' | 'refusals' | 'faultTrack'> {
  readonly kind: ResourceKind<R>;
  readonly api: Omit<PlatformApi, 'kind'>;
  /** The column and the member that name the parent; absent where the parent is the platform. */
  readonly parent?: { readonly member: keyof ModelRecord & string };
  /** What is there before the first request. */
  readonly first: readonly (ModelRecord & R)[];
  /** Columns of a kind that has a sealed number. */
  readonly sealed?: object;
  /** Seals other members. */
  readonly seal?: (resource: StoredResource<R>) => StoredResource<R>;
  readonly statements?: readonly string[];
}

export interface PlatformTestResource extends TestResource {
  readonly api: PlatformApi;
  /** The new resource for the model, without its revision. */
  created(record: ModelRecord): Omit<ModelResource, 'revision'>;
}

export function platformResource<R extends ResourceRecord>(parts: PlatformResource<R>): PlatformTestResource {
  const { kind, api, parent, first, sealed, seal, workload, crashCases, refusals, faultTrack, statements = [] } = parts;
  const {
    name,
    table: { name: table },
  } = kind;
  const columns = ['id', 'parent_id', 'status', 'revision'];
  const created = (record: ModelRecord) => ({
    kind: name,
    table,
    parentId: parent === undefined ? balancePlatform : String(record[parent.member]),
    record,
  });
  return {
    api: { kind, ...api },
    tables: [table],
    workload,
    crashCases,
    refusals,
    faultTrack,
    statements: [`add-${table}`, `find-${table}`, `change-${table}`, ...statements],
    created,
    async seed(transaction) {
      for (const record of first) {
        const resource = { kind, platform: balancePlatform, revision: 1, record, ...sealed };
        await transaction.repository(ResourceRepository).addResource(seal?.(resource) ?? resource);
      }
    },
    seedModel(model) {
      const platform = model.state(PlatformModel.create);
      for (const record of first) platform.seed({ ...created(record), revision: 1 });
    },
    effectsOf({ statement, parameters }) {
      const verb = ['add', 'change'].find((each) => statement.name === `${each}-${table}`);
      // The platform stands before the columns, the record after them.
      const end = 1 + columns.length;
      return verb === undefined
        ? []
        : [`${verb} ${rowText(table, parameters.slice(1, end), parseRecord(parameters[end]))}`];
    },
    eventTextOf({ kind: eventKind, operation, requestReference: pspReference, record }) {
      if (eventKind !== name || operation === undefined || record === undefined) return undefined;
      return eventText(name, record.id, operation, pspReference, record);
    },
    storedLines: (database: SimDatabase) =>
      database
        .rows(`select ${columns.join()}, record from ${table}`)
        .map((row) =>
          rowText(
            table,
            columns.map((column) => row[column]),
            parseRecord(row.record),
          ),
        )
        .toSorted(),
    modelLines: (model: Model) => model.state(PlatformModel.create).lines(name),
  };
}

const recordByText = new Map<string, object>();

/** Parses each record once: the runs store the same ones again and again. */
function parseRecord(text: Entry['parameters'][number] | undefined): object {
  const record = recordByText.get(String(text)) ?? JSON.parse(String(text));
  recordByText.set(String(text), record);
  return record;
}
