/** Measures writes with a key against writes without one, on both stores and in one process, also against another checkout. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type * as keyRings from '../src/core/vault/key-ring.ts';
import type * as accounts from '../src/payments/recurring/store/merchant-accounts.ts';
import type * as api from '../src/program/api/index.ts';
import type * as postgresStores from '../src/stores/postgres/open.ts';
import type * as sqliteStores from '../src/stores/sqlite/open.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { describeMachine } from './machine.ts';
import { type Finding, limited, median, table } from './results.ts';
import { type EngineName, fillRecords } from './scale/fill-records.ts';
import { runSection, sectionOptions } from './section.ts';
import { reference, targetsAt } from './targets.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
    /** The folder of another checkout. */
    against: { type: 'string' },
    rounds: { type: 'string', default: '21' },
  },
});

const rounds = options.quick ? 5 : Number(options.rounds);
const callers = 8;
const requestsPerCaller = 24;
const shoppers = 500;
/** Each new record goes to other pages than the last one, as in a store that is in use. */
const earlierRecords = options.quick ? 20_000 : 100_000;
/** The CPU time without a key, divided by that with one. */
const shareMin: Readonly<Record<EngineName, number>> = { SQLite: 0.85, PostgreSQL: 0.8 };
const engines: readonly EngineName[] = ['SQLite', 'PostgreSQL'];

const target = targetsAt({ triglyph: 80 }).triglyphWrite;

type StoreOptions = Exclude<api.StoreOptions, 'memory'>;

interface Subject {
  readonly engine: EngineName;
  readonly root: string;
  /** CPU time of one request in microseconds. */
  measure(isKeyed: boolean): Promise<number>;
  close(): Promise<void>;
}

async function openSubject(root: string, name: EngineName, store: StoreOptions): Promise<Subject> {
  const { createGateway, recurring }: typeof api = await importFrom(root, 'src/program/api/index.ts');
  const { freshKeys }: typeof keyRings = await importFrom(root, 'src/core/vault/key-ring.ts');
  const gateway = await createGateway({
    services: [recurring],
    store,
    keys: freshKeys(),
    settings: { LOG_LEVEL: 'silent', REQUEST_WAIT_MS_MAX: '60000' },
  });
  await prepareStore(root, name, store);
  const { secret: apiKey } = await gateway.credentials.addCredential({
    tenant: 'DemoCompany',
    kind: 'apiKey',
    roles: ['recurring'],
    grants: { merchantAccount: ['DemoMerchant'] },
  });
  let count = 0;
  /** Returns whether it was answered: on a busy machine the store may not be free in time. */
  const send = async (isKeyed: boolean): Promise<boolean> => {
    count += 1;
    const headers = {
      'X-API-Key': apiKey,
      'Content-Type': target.headers['Content-Type']!,
      ...(isKeyed && { 'Idempotency-Key': randomUUID() }),
    };
    const body = target.body.replaceAll('SHOPPER', reference(count % shoppers));
    const answer = await gateway.fetch(new Request(target.url, { method: 'POST', headers, body }));
    const text = await answer.text();
    if (answer.status !== 200 && answer.status !== 503) throw new Error(`${name}: ${answer.status} ${text}`);
    return answer.status === 200;
  };
  return {
    engine: name,
    root,
    async measure(isKeyed) {
      const start = process.cpuUsage();
      let answered = 0;
      const call = async (): Promise<void> => {
        for (let at = 0; at < requestsPerCaller; at += 1) if (await send(isKeyed)) answered += 1;
      };
      await Promise.all(Array.from({ length: callers }, call));
      const { user, system } = process.cpuUsage(start);
      return (user + system) / answered;
    },
    close: () => gateway.close(),
  };
}

/** Adds the merchant account, and records of earlier requests. */
async function prepareStore(root: string, name: EngineName, store: StoreOptions): Promise<void> {
  const { openPostgres }: typeof postgresStores = await importFrom(root, 'src/stores/postgres/open.ts');
  const { openSqlite }: typeof sqliteStores = await importFrom(root, 'src/stores/sqlite/open.ts');
  const { createMerchantAccountRegistry }: typeof accounts = await importFrom(
    root,
    'src/payments/recurring/store/merchant-accounts.ts',
  );
  const engine =
    'dataDir' in store
      ? openSqlite({ ...store, exclusive: false })
      : openPostgres({ url: store.databaseUrl, poolMax: 2 });
  await createMerchantAccountRegistry(engine, { now: Date.now }).addMerchantAccount('DemoCompany', 'DemoMerchant');
  await fillRecords({ name, engine, from: 0, records: earlierRecords, days: [1, 31] });
  await engine.close();
}

function importFrom(root: string, file: string) {
  return import(pathToFileURL(join(root, file)).href);
}

const { against } = options;
await runSection('keyed', { write: options.write && against === undefined }, async (folder, closing) => {
  const postgres = await startPostgres({ durable: true });
  closing.defer(() => postgres.discard());
  const roots = [join(import.meta.dirname, '..'), ...(against === undefined ? [] : [against])];
  const subjects: Subject[] = [];
  for (const [index, root] of roots.entries())
    for (const engine of engines) {
      const subject = await openSubject(
        root,
        engine,
        engine === 'SQLite'
          ? { dataDir: join(folder, String(index)) }
          : { databaseUrl: await postgres.createDatabase() },
      );
      closing.defer(() => subject.close());
      subjects.push(subject);
    }
  const times = new Map(subjects.map((subject) => [subject, { without: [] as number[], keyed: [] as number[] }]));
  // The first rounds warm up.
  for (let round = -3; round < rounds; round += 1)
    for (const [subject, { without, keyed }] of times) {
      const [plainUs, keyedUs] = [await subject.measure(false), await subject.measure(true)];
      if (round < 0) continue;
      without.push(plainUs);
      keyed.push(keyedUs);
    }
  const findings: Finding[] = [];
  const rows = [...times].map(([{ engine, root }, { without, keyed }]) => {
    const share = median(without.map((us, round) => us / keyed[round]!));
    if (root === roots[0])
      findings.push(
        limited(`${engine}: CPU without a key, divided by that with one`, share, 'at least', shareMin[engine]),
      );
    const cells = [without, keyed].flatMap((all) => [Math.min(...all).toFixed(0), median(all).toFixed(0)]);
    return [engine, root === roots[0] ? 'this' : root, ...cells, share.toFixed(2)];
  });
  const text = [
    `storeToken inside one process, without a port and without the CPU time of PostgreSQL; ${earlierRecords} earlier records, ${callers} callers, ${rounds} alternating rounds. ${describeMachine('no pinning')}`,
    table(
      [
        'store',
        'checkout',
        'without a key: lowest us',
        'median us',
        'with a key: lowest us',
        'median us',
        'median of the share',
      ],
      rows,
    ),
  ];
  return { text, findings };
});
