/** The keys of row MACs, sealed in the store. */
import { randomBytes } from 'node:crypto';
import type { Vault } from '../../core/vault/index.ts';
import type { IntegrityKeys, RowIntegrity } from '../row-integrity.ts';
import type { RowOf } from '../table.ts';
import { type Engine, statement } from './engine.ts';
import type { rowIntegrity } from './tables.ts';

type StateRow = Pick<RowOf<typeof rowIntegrity>, 'key_id' | 'data_key' | 'sealed_state'>;

const find = statement<StateRow>('find-row-integrity', 'select key_id, data_key, sealed_state from row_integrity');
const add = statement(
  'add-row-integrity',
  `insert into row_integrity (tenant, id, key_id, data_key, sealed_state) values ('', 'state', $1, $2, $3)
   on conflict do nothing`,
);

const scope = { tenant: '', record: 'row integrity state' };

/**
 * Loads the keys. `create`: makes them in a store that has none, before its first signed row. Rows that were signed with other keys
 * are refused from then on. Throws what the vault throws for other keys.
 */
export async function loadIntegrity(
  engine: Engine,
  vault: Vault,
  integrity: RowIntegrity,
  { create }: { readonly create: boolean },
): Promise<void> {
  let keys = await read(engine, vault);
  if (keys === undefined && create) {
    const row = seal(vault, { inner: randomBytes(32).toString('hex'), outer: randomBytes(32).toString('hex') });
    await engine.write((session) => session.execute(add, row));
    keys = await read(engine, vault);
  }
  if (keys !== undefined) integrity.use(keys);
}

async function read(engine: Engine, vault: Vault): Promise<IntegrityKeys | undefined> {
  const [row] = await engine.read((session) => session.query(find, []));
  if (row === undefined) return undefined;
  const { key_id: keyId, data_key: dataKey, sealed_state: payload } = row;
  return JSON.parse(vault.open(scope, { keyId, dataKey, payload }, 'payload'));
}

function seal(vault: Vault, keys: IntegrityKeys): readonly [string, string, string] {
  const { keyId, dataKey, payload } = vault.seal(scope, { payload: JSON.stringify(keys) });
  return [keyId, dataKey, payload!];
}
