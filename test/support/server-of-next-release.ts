/** A server of a later release: each number up to `RELEASE` adds a column to stored details, fills it and makes an index on it, and adds a table. */

import { openBackend } from '../../src/backend/backend.ts';
import { builtInServices } from '../../src/payments/index.ts';
import { startServer } from '../../src/program/app/server.ts';
import type { TableOwner } from '../../src/stores/sql/create-tables.ts';
import { column, table } from '../../src/stores/table.ts';
import { readConfig } from './services.ts';

const config = readConfig('production');
const releases = Array.from({ length: Number(process.env.RELEASE) - 1 }, (_, at) => at + 2);

function nextOf(owner: TableOwner): TableOwner {
  if (owner.name !== 'recurring') return owner;
  const tables = owner.tables.map((each) =>
    each.name !== 'stored_detail'
      ? each
      : {
          ...each,
          columns: [
            ...each.columns,
            ...releases.map((since) => ({ ...column.nullable(column.text), name: `origin_${since}`, since })),
          ],
          indexes: [
            ...each.indexes,
            ...releases.map((since) => ({
              ...{ name: `stored_detail_origin_${since}`, on: ['company', `origin_${since}`], since },
              ...{ where: undefined, isUnique: false },
            })),
          ],
        },
  );
  const added = releases.map((since) =>
    table(`note_${since}`, {
      columns: { tenant: column.tenant, id: column.text },
      key: ['tenant', 'id'],
      signed: 'none',
      belongsTo: 'none',
      keptFor: 'forever',
      since,
    }),
  );
  const fills = releases.map((since) => [since, [`update stored_detail set origin_${since} = 'before'`]] as const);
  return { ...owner, tables: [...tables, ...added], upgrades: { ...owner.upgrades, ...Object.fromEntries(fills) } };
}

const services = builtInServices.map((service) => ({ ...service, tables: nextOf(service.tables) }));
const backend = await openBackend(config, { exclusive: true }, services);
const running = await startServer(config, backend);
process.stdout.write(`ready: callers at ${running.callers}, admin at ${running.admin}\n`);
process.once('SIGTERM', async () => {
  await running.stop();
  process.exit();
});
