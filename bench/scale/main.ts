/**
 * `npm run scale`: compares many rows with few in one run; `--quick` is a short run, `--only records` measures idempotency records
 * alone, `--only clean-up` the clean-up of expired ones beside traffic, `--write` renews docs/bench.md.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/support/postgres.ts';
import { describeMachine } from '../machine.ts';
import { type Finding, limited, table } from '../results.ts';
import { printReport, type Report, sectionOptions } from '../section.ts';
import { type Imported, measureImport } from './card-changes.ts';
import { measureCleanUp } from './clean-up.ts';
import { fillAccounts, type Pages, timePages } from './instruments.ts';
import { recordFindings, recordTables } from './record-tables.ts';
import { type MeasuredRecords, measureRecords } from './records.ts';
import type { Timed } from './rounds.ts';
import { type PerShopper, timeShoppers } from './shoppers.ts';
import { makeStores, serveAll } from './stores.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
    /** Of the store with many; the goal is stated for 1,000,000. Each has three cards. */
    shoppers: { type: 'string', default: '333334' },
    /** Idempotency records of the table with many; the goal is stated for 10,000,000. */
    records: { type: 'string', default: '1000000' },
    /** The same on the embedded store. */
    'embedded-records': { type: 'string', default: '1000000' },
    only: { type: 'string' },
    /** Of `--only clean-up`: expired records, the store, writes a second, and how long is measured before the clean-up and after it. */
    expired: { type: 'string', default: '1000000' },
    engine: { type: 'string', default: 'SQLite' },
    rate: { type: 'string', default: '50' },
    'quiet-seconds': { type: 'string', default: '120' },
  },
});

const shoppers = options.quick ? { few: 1_000, many: 5_000 } : { few: 1_000, many: Number(options.shoppers) };
const records = options.quick
  ? { few: 10_000, many: 100_000, manyEmbedded: 100_000 }
  : { few: 10_000, many: Number(options.records), manyEmbedded: Number(options['embedded-records']) };
const instruments = options.quick ? { few: 1_000, many: 10_000 } : { few: 10_000, many: 1_000_000 };
const changes = options.quick ? 10_000 : 100_000;
const slowdownMax = 3;
/** Of the CPU time of a request, where the listing is not cached. */
const shopperSlowdownMax = 1.1;
const importMegabytesMax = 150;

const megabytes = (bytes: number): number => bytes / 1024 / 1024;

/** Every listing reads the database. */
const uncached = { REMEMBERED_BYTES_MAX: '0' };

interface Measured {
  readonly pages: readonly (Timed & Pages)[];
  readonly perShopper: readonly (Timed & PerShopper)[];
}

/** The instruments are in the store with many cards, so that their lists share its tables. */
const measureRequests = async (folder: string): Promise<Measured> => {
  await using closing = new AsyncDisposableStack();
  const postgres = await startPostgres();
  closing.defer(() => postgres.discard());
  const counts = [instruments.few, instruments.many];
  let ids: readonly string[] = [];
  const fill = async (dataDir: string): Promise<void> => {
    ids = await fillAccounts(dataDir, counts);
  };
  const few = await makeStores(folder, postgres, shoppers.few);
  const many = await makeStores(folder, postgres, shoppers.many, fill);
  const stores = [...few, ...many].map((each) => ({ ...each, variables: { ...each.variables, ...uncached } }));
  const serving = await serveAll(stores, folder, closing);
  const perShopper = await timeShoppers(serving);
  const accounts = ids.map((id, index) => ({ id, count: counts[index]! }));
  return { perShopper, pages: await timePages(serving.slice(few.length), accounts) };
};

const slowdown = (name: string, ratio: number, max: number): Finding =>
  limited(`${name}, many against few`, ratio, 'at most', max);

const slowdowns = ({ pages, perShopper }: Measured): readonly Finding[] => [
  ...[...Map.groupBy(pages, ({ engine, pages: which }) => `on ${engine}, ${which}`)]
    .filter(([, [first]]) => first!.pages !== 'last')
    .map(([which, [few, many]]) =>
      slowdown(`A page of payment instruments ${which}`, many!.median / few!.median, slowdownMax),
    ),
  ...[...Map.groupBy(perShopper, ({ operation, engine }) => `${operation} on ${engine}`)].map(([name, [few, many]]) =>
    few!.operation === 'tokenLookup'
      ? slowdown(name, many!.median / few!.median, slowdownMax)
      : slowdown(`${name}, CPU`, many!.cpuUs / few!.cpuUs, shopperSlowdownMax),
  ),
];

/** Pages of PostgreSQL are cached as a server for this table would. */
const measureAllRecords = async (folder: string): Promise<MeasuredRecords> => {
  const postgres = await startPostgres({ settings: { shared_buffers: '2GB', max_wal_size: '8GB' } });
  try {
    return await measureRecords(folder, postgres, records);
  } finally {
    await postgres.discard();
  }
};

const importFindings = ({ rows, idleServerBytes, late, rowsAfterResume, killedAt }: Imported): readonly Finding[] => {
  const above = megabytes(late - idleServerBytes);
  const resumed = `Rows after a kill at ${killedAt} rows and a second run`;
  return [
    limited(
      `Import of ${rows} announced changes, memory above an idle server's`,
      above,
      'at most',
      importMegabytesMax,
      'MB',
    ),
    { name: resumed, measured: String(rowsAfterResume), limit: `exactly ${rows}`, holds: rowsAfterResume === rows },
  ];
};

const runRecords = async (folder: string): Promise<Report> => {
  const own = join(folder, 'records');
  mkdirSync(own);
  const measured = await measureAllRecords(own);
  const text = [describeMachine('all servers on one core'), ...recordTables(measured)];
  return { text, findings: recordFindings(measured) };
};

const times = ['median ms', 'CPU of the server per request, us'];
const cellsOf = ({ median, cpuUs }: Timed) => [median.toFixed(2), cpuUs.toFixed(0)];

const runOthers = async (folder: string): Promise<Report> => {
  const importFolder = join(folder, 'import');
  mkdirSync(importFolder);
  const imported = await measureImport(importFolder, changes);
  const measured = await measureRequests(folder);
  const text = [
    describeMachine('all servers on one core'),
    table(
      ['store', 'payment instruments of the account', 'pages of 100', ...times],
      measured.pages.map(({ engine, instruments, pages, ...timed }) => [engine, instruments, pages, ...cellsOf(timed)]),
    ),
    table(
      ['store', 'shoppers, with three cards each', 'request', ...times],
      measured.perShopper.map(({ engine, shoppers, operation, ...timed }) => [
        ...[engine, shoppers, operation],
        ...cellsOf(timed),
      ]),
    ),
    `The import took ${imported.seconds.toFixed(0)} s; its memory was ${megabytes(imported.early).toFixed(0)} MB at most in the first third of it and ${megabytes(imported.late).toFixed(0)} MB in the last.`,
  ];
  return { text, findings: [...slowdowns(measured), ...importFindings(imported)] };
};

const runCleanUp = (folder: string): Promise<Report> => {
  const { engine } = options;
  if (engine !== 'SQLite' && engine !== 'PostgreSQL') throw new Error('--engine accepts: SQLite, PostgreSQL');
  const [expired, rate] = [options.quick ? 20_000 : Number(options.expired), Number(options.rate)];
  const quietSeconds = options.quick ? 20 : Number(options['quiet-seconds']);
  return measureCleanUp(join(folder, 'clean-up'), { engine, expired, rate, quietSeconds });
};

const runs = { scale: runOthers, records: runRecords, 'clean-up': runCleanUp };
type Section = keyof typeof runs;
const isSection = (name: string): name is Section => Object.hasOwn(runs, name);

const run = async (folder: string, sections: readonly Section[]): Promise<boolean> => {
  let holds = true;
  for (const section of sections) {
    holds = printReport(section, await runs[section](folder), options.write) && holds;
  }
  return holds;
};

const { only } = options;
if (only !== undefined && !isSection(only)) throw new Error('--only accepts: scale, records, clean-up');
const folder = mkdtempSync(join(tmpdir(), 'triglyph-scale-'));
try {
  if (!(await run(folder, only === undefined ? ['scale', 'records'] : [only]))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
