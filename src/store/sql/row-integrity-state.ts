/** The keys of row MACs, sealed in the store, and whether all rows have one. */
import { randomBytes } from 'node:crypto';
import type { Vault } from '../../vault/ports.ts';
import type { IntegrityKeys, RowIntegrity } from '../row-integrity.ts';
import { type Engine, statement } from './engine.ts';
import { lastSigned, tablesSignedAfter } from './signed-tables.ts';

/** The payload of the seal: it can be written with the keys only. */
interface State extends IntegrityKeys {
  /** The rows of the tables up to this migration have a MAC. Absent: migration 23, or none where `pending` is present. */
  readonly signedTo?: number;
  /** Present until all rows have a MAC. */
  readonly pending?: {
    readonly since: number;
    /** The migration whose rows are signed at the end. Absent: 23. */
    readonly to?: number;
    /** From then on rows without a MAC are refused in any case, so that an old state cannot be put back for long. */
    readonly until: number;
  };
}

type StateRow = { readonly key_id: string; readonly data_key: string; readonly sealed_state: string };

const find = statement<StateRow>('find-row-integrity', 'select key_id, data_key, sealed_state from row_integrity');
const add = statement(
  'add-row-integrity',
  `insert into row_integrity (tenant, id, key_id, data_key, sealed_state) values ('', 'state', $1, $2, $3)
   on conflict do nothing`,
);
const replace = statement(
  'replace-row-integrity',
  'update row_integrity set key_id = $1, data_key = $2, sealed_state = $3 where sealed_state = $4',
);
const findAnyRow = [...tablesSignedAfter(0)].map((table) =>
  statement(`find-row-of-${table}`, `select 1 as present from ${table} limit 1`),
);

const scope = { tenant: '', record: 'row integrity state' };
const pendingMsMax = 30 * 24 * 60 * 60 * 1000;
/** The migration that added the first MACs. */
const firstSigned = 23;
/** Servers of an earlier release write no MACs. A rolling upgrade must end within this time. */
export const markingDelayMs = 60 * 60 * 1000;

export interface IntegrityOptions {
  /** Rows without a MAC are refused, whatever the store says. */
  readonly isRequired: boolean;
  readonly now: () => number;
}

/** Where keys are made if there are none: in each store, or only in one without a row to sign, so that its first row has a MAC. */
export type CreateIntegrityKeys = 'inEachStore' | 'inNewStore' | 'never';

/** Loads the keys. Throws what the vault throws for other keys. */
export async function loadIntegrity(
  engine: Engine,
  vault: Vault,
  integrity: RowIntegrity,
  { isRequired, now, create }: IntegrityOptions & { readonly create: CreateIntegrityKeys },
): Promise<void> {
  let state = await read(engine, vault);
  const isNew = state === undefined && create !== 'never' && (await hasNoRows(engine));
  if (state === undefined && (create === 'inEachStore' || isNew)) {
    const keys = { inner: randomBytes(32).toString('hex'), outer: randomBytes(32).toString('hex') };
    const row = seal(
      vault,
      isNew ? { ...keys, signedTo: lastSigned } : { ...keys, signedTo: 0, pending: begin(now()) },
    );
    await engine.write((session) => session.execute(add, row));
    state = await read(engine, vault);
  }
  if (state === undefined) return;
  if (create === 'inEachStore' && signedTo(state) < lastSigned && (state.pending?.to ?? firstSigned) < lastSigned)
    state = await beginMarking(engine, vault, now());
  if (state !== undefined) integrity.use(state, isRequired ? new Set() : unsignedTables(state, now()));
}

/** Whether there is nothing to sign. */
function hasNoRows(engine: Engine): Promise<boolean> {
  return engine.read(async (session) => {
    for (const find of findAnyRow) if ((await session.query(find, [])).length > 0) return false;
    return true;
  });
}

/** For serving processes, again and again: marks the rows from before the MACs once, and notices when another process has. */
export async function finishMarking(
  engine: Engine,
  vault: Vault,
  integrity: RowIntegrity,
  { now, isRequired, mark }: IntegrityOptions & { readonly mark: (unsigned: ReadonlySet<string>) => Promise<void> },
): Promise<void> {
  if (integrity.isEnforced && !isRequired) return;
  const [row] = await engine.read((session) => session.query(find, []));
  const state = row && open(vault, row);
  if (row === undefined || state === undefined) return;
  const { pending, inner, outer } = state;
  const unsigned = tablesSignedAfter(signedTo(state));
  if (unsigned.size === 0) {
    integrity.use(state);
    return;
  }
  // A server of an earlier release has ended its marking meanwhile.
  if (pending === undefined) await beginMarking(engine, vault, now());
  if (pending === undefined || now() < pending.since + markingDelayMs) return;
  await mark(unsigned);
  const marked = seal(vault, { inner, outer, signedTo: lastSigned });
  await engine.write((session) => session.execute(replace, [...marked, row.sealed_state]));
  integrity.use(state);
}

/** For a store whose MACs are those of an earlier release: the rows of later tables get theirs. */
async function beginMarking(engine: Engine, vault: Vault, now: number): Promise<State | undefined> {
  const [row] = await engine.read((session) => session.query(find, []));
  if (row === undefined) return undefined;
  const state = open(vault, row);
  if (signedTo(state) < lastSigned && (state.pending?.to ?? firstSigned) < lastSigned) {
    const begun = seal(vault, { ...state, signedTo: signedTo(state), pending: begin(now) });
    await engine.write((session) => session.execute(replace, [...begun, row.sealed_state]));
  }
  return read(engine, vault);
}

function begin(now: number): NonNullable<State['pending']> {
  return { since: now, until: now + pendingMsMax, to: lastSigned };
}

function signedTo(state: State): number {
  return state.signedTo ?? (state.pending === undefined ? firstSigned : 0);
}

function unsignedTables(state: State, now: number): ReadonlySet<string> {
  return state.pending !== undefined && now >= state.pending.until ? new Set() : tablesSignedAfter(signedTo(state));
}

async function read(engine: Engine, vault: Vault): Promise<State | undefined> {
  const [row] = await engine.read((session) => session.query(find, []));
  return row && open(vault, row);
}

function open(vault: Vault, { key_id: keyId, data_key: dataKey, sealed_state: payload }: StateRow): State {
  return JSON.parse(vault.open(scope, { keyId, dataKey, payload }, 'payload'));
}

function seal(vault: Vault, state: State): readonly [string, string, string] {
  const { keyId, dataKey, payload } = vault.seal(scope, { payload: JSON.stringify(state) });
  return [keyId, dataKey, payload!];
}
