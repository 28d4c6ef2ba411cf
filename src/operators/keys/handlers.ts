/** Lists and rotates keys, and verifies and signs rows. */
import { settings } from '../../config/index.ts';
import { redact } from '../../core/lib/index.ts';
import { rowsLeft, type WrongRow } from '../../stores/index.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { type keyOperations, shownMax } from './contract.ts';

type Backend = OperatorContext['backend'];

export const keyHandlers: OperatorHandlers<(typeof keyOperations)[number]> = {
  async listKeys({ countRows = false }, { backend, config }) {
    const rows = countRows ? await backend.rotation.count() : undefined;
    const keys = await keysOf(backend, rows);
    const withUse = keys.map(async (key) => ({ ...key, usedSince: await findFirstUse(backend, key.id) }));
    return { source: redact(sourceOfKeys(config)), keys: await Promise.all(withUse) };
  },

  async rotateKeys(_, { backend, by, progress }) {
    const { rotation, indexRotation, audit } = backend;
    const { current } = rotation.wrapping;
    await audit.append([{ kind: 'keyRotated', actor: by, subject: current, detail: { state: 'begun' } }]);
    let total = 0;
    let shown: ReturnType<NonNullable<typeof progress>> | undefined;
    const { moved, broken, counts } = await rotation.rotate({
      begun(rows) {
        total = rows;
        shown = progress?.(rows);
      },
      moved: (done) => shown?.(done, `${done} of ${Math.max(total, done)} rows`),
    });
    const reindexed = indexRotation.state === 'old' ? await indexRotation.run(() => {}) : undefined;
    return {
      moved,
      left: rowsLeft(counts, current),
      unopened: broken.rows,
      firstUnopened: broken.first.map(({ tenant, record }) => ({ tenant, record })),
      fingerprints: reindexed && {
        changed: reindexed.changed,
        unopened: reindexed.broken.rows,
        firstUnopened: reindexed.broken.first.map(({ tenant, record }) => ({ tenant, record })),
      },
      keys: await keysOf(backend, counts),
    };
  },

  async verifyRows(_, { backend }) {
    if (!backend.integrity.hasKeys) refuse('no row has a MAC yet, so nothing was compared: start a server once');
    const { rows, wrong } = await backend.findWrongRows(shownMax);
    const moved = await backend.indexRotation.findWrongFingerprints(shownMax);
    return {
      rows,
      altered: wrong.map(describe),
      wrongFingerprints: moved.map(({ table, tenant, id }) => ({ table, tenant, id })),
    };
  },

  async signRows({ unsigned = false, row: named = [], dryRun = false }, context) {
    const { backend } = context;
    if (unsigned === named.length > 0) refuse('give either --unsigned or --row, which may be repeated');
    for (const each of named)
      if (each.split('/').length < 3) refuse(`${each}: name a row as TABLE/TENANT/ID, as verify-rows does`);
    if (!backend.integrity.hasKeys) refuse('there are no keys of MACs yet: start a server once');
    const names = new Set(named);
    const isChosen = (each: WrongRow) => (unsigned ? each.isUnsigned : names.has(nameOf(each)));
    // Of rows without a MAC, no more are held in memory.
    const { chosen, left } = await findChosen(backend, isChosen, unsigned ? shownMax : Number.POSITIVE_INFINITY);
    const missing = named.filter((each) => !chosen.first.some((found) => nameOf(found) === each));
    if (missing.length > 0)
      refuse(
        missing.map((each) => `${each}: there is no such row, or its MAC is right; nothing was signed`).join('\n'),
      );
    if (!dryRun) await record(context, chosen, unsigned);
    const signed = dryRun ? undefined : await backend.signRows(isChosen);
    return { chosen: chosen.rows, signed, left, rows: chosen.first.slice(0, shownMax).map(describe) };
  },
};

interface ListedKey {
  readonly id: string;
  readonly kind: 'wrapping' | 'index' | 'pepper';
  readonly state: 'current' | 'old' | 'next' | 'missing';
  readonly rows?: number | undefined;
  readonly until?: number | undefined;
  readonly credentials?: readonly string[] | undefined;
}

/** The greatest moment of a Date. */
const momentMax = 8.64e15;
const namedMax = 20;

/** `counts`: the rows of each wrapping key; absent where nothing is counted. */
async function keysOf(
  { rotation, indexRotation, pepperRotation }: Backend,
  counts: ReadonlyMap<string, number> | undefined,
): Promise<readonly ListedKey[]> {
  const { current, ids } = rotation.wrapping;
  const rowsOf = (id: string) => ({ rows: counts && (counts.get(id) ?? 0) });
  const other = (kind: 'index' | 'pepper', state: 'old' | 'next' | undefined): readonly ListedKey[] =>
    state === undefined ? [] : [{ id: `${kind}-${state}`, kind, state }];
  const records = counts && indexRotation.state === 'old' ? await indexRotation.findRecords() : undefined;
  const left = counts && pepperRotation.state === 'old' ? await pepperRotation.findCredentials() : undefined;
  const { expireAt = null } = records ?? {};
  return [
    ...ids.map((id): ListedKey => ({ id, kind: 'wrapping', state: id === current ? 'current' : 'old', ...rowsOf(id) })),
    ...[...(counts?.keys() ?? [])]
      .filter((id) => !ids.includes(id))
      .sort()
      .map((id): ListedKey => ({ id, kind: 'wrapping', state: 'missing', ...rowsOf(id) })),
    { id: 'index', kind: 'index', state: 'current' },
    ...other('index', indexRotation.state).map((each) => ({
      ...each,
      ...(records && {
        rows: records.records,
        until: expireAt === null || expireAt > momentMax ? undefined : expireAt,
      }),
    })),
    { id: 'pepper', kind: 'pepper', state: 'current' },
    ...other('pepper', pepperRotation.state).map((each) => ({
      ...each,
      ...(left && {
        rows: left.length,
        credentials: left.slice(0, namedMax).map(({ tenant, credential_id: id }) => `${tenant} ${id}`),
      }),
    })),
  ];
}

async function findFirstUse({ auditLog }: Backend, id: string): Promise<number | undefined> {
  return (await auditLog.list({ kind: 'keyUsed', subject: id, max: 1 }))[0]?.recordedAt;
}

function sourceOfKeys({ keyFile, kmsUrl, reports }: OperatorContext['config']): string {
  const source = reports.find(({ name }) => name === settings.keys.name)?.source ?? '';
  const from = keyFile ?? source;
  return kmsUrl === undefined ? from : `${from}, wrapped by the key management service at ${kmsUrl}`;
}

/** What is signed. There may be as many rows as the store has. */
interface Chosen {
  readonly rows: number;
  readonly byTable: ReadonlyMap<string, number>;
  /** All where rows are named. */
  readonly first: readonly WrongRow[];
}

async function findChosen(
  backend: Pick<Backend, 'wrongPages'>,
  isChosen: (row: WrongRow) => boolean,
  firstMax: number,
): Promise<{ readonly chosen: Chosen; readonly left: number }> {
  const byTable = new Map<string, number>();
  const first: WrongRow[] = [];
  let [rows, left] = [0, 0];
  for await (const { wrong } of backend.wrongPages())
    for (const row of wrong) {
      if (!isChosen(row)) {
        left += 1;
        continue;
      }
      rows += 1;
      byTable.set(row.table, (byTable.get(row.table) ?? 0) + 1);
      if (first.length < firstMax) first.push(row);
    }
  return { chosen: { rows, byTable, first }, left };
}

/** Before anything is signed: each named row, and the number of unsigned ones by table. */
async function record({ backend, by }: OperatorContext, { byTable, first }: Chosen, unsigned: boolean): Promise<void> {
  const common = { kind: 'rowsSigned', actor: by } as const;
  const events = unsigned
    ? [...byTable].map(([table, rows]) => ({ ...common, subject: table, detail: { rows, mac: 'missing' } }))
    : first.map(({ table, tenant, id, isUnsigned }) => ({
        ...common,
        subject: `${table} ${tenant} ${id}`,
        detail: { rows: 1, mac: isUnsigned ? 'missing' : 'wrong' },
      }));
  if (events.length > 0) await backend.audit.append(events);
}

function nameOf({ table, tenant, id }: WrongRow): string {
  return `${table}/${tenant}/${id}`;
}

function describe({ table, tenant, id, isUnsigned }: WrongRow) {
  return { table, tenant, id, isUnsigned };
}
