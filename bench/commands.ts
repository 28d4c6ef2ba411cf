/** `npm run bench -- --only commands`: how long an import and a backup take, and what a backup costs the callers of a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { appendLuhnDigit } from '../src/contract/check-digits.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { pinned, serverCore } from './cores.ts';
import { describeMachine } from './machine.ts';
import { writeSection } from './page.ts';
import { median } from './results.ts';
import { serveAt } from './scale/stores.ts';
import { bytesOf, openConnection } from './security/connection.ts';
import { memoryBytesOrNone } from './server.ts';

const { values: options } = parseArgs({
  options: {
    /** Few rows and short rounds. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/bench.md. */
    write: { type: 'boolean', default: false },
    /** Of the imported file. */
    rows: { type: 'string' },
  },
});
const rows = Number(options.rows ?? (options.quick ? 2_000 : 100_000));
const plan = options.quick ? { rounds: 1, roundMs: 1_000 } : { rounds: 5, roundMs: 5_000 };
const connections = 8;
/** One request of so many stores a card. */
const storingEvery = 10;
const megabyte = 1e6;

type Variables = Readonly<Record<string, string>>;

const unlimited: Variables = {
  CARDS_STORED_PER_MINUTE_MAX: '0',
  SIMILAR_CARDS_PER_DAY_MAX: '0',
  REQUESTS_PER_SOCKET_MAX: '0',
};

interface Ended {
  readonly stdout: string;
  readonly seconds: number;
  /** The highest resident memory that was seen. */
  readonly bytes: number;
}

const program = fileURLToPath(new URL('../bin/triglyph.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-commands-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const file = join(folder, 'details.csv');
  writeFileSync(file, csv());
  const postgres = await startPostgres({ durable: true });
  try {
    const embedded: Variables = { DATA_DIR: join(folder, 'embedded'), KEY_FILE: join(folder, 'keys') };
    const shared: Variables = { ...embedded, DATABASE_URL: await postgres.createDatabase() };
    await command(embedded, 'keys', 'create', embedded.KEY_FILE!);
    const table = ['| command | store | s | rows/s | memory of the command, MB |', '|---|---|---:|---:|---:|'];
    for (const [store, variables] of [
      ['embedded', embedded],
      ['PostgreSQL', shared],
    ] as const) {
      await prepare(variables);
      const dry = await command(variables, 'import', '--dry-run', file);
      const imported = await command(variables, 'import', file);
      for (const [name, { seconds, bytes }] of [
        ['import --dry-run', dry],
        ['import', imported],
      ] as const)
        table.push(`| ${[name, store, seconds.toFixed(0), (rows / seconds).toFixed(0), mb(bytes)].join(' | ')} |`);
      process.stderr.write('.');
    }
    const text = [
      `A file of ${rows} cards, no server beside it. PostgreSQL with fsync. ${describeMachine('commands and server on one core, PostgreSQL and load on any')}`,
      table.join('\n'),
      await measureBackups(embedded),
    ].join('\n\n');
    process.stderr.write('\n');
    console.log(text);
    if (options.write) writeSection('commands', text);
  } finally {
    await postgres.discard();
  }
}

async function prepare(variables: Variables): Promise<void> {
  await command(variables, 'migrate');
  await command(variables, 'credential', 'merchant-account', 'add', 'Acme', 'AcmeWeb');
}

/** Rounds with and without a backup take turns. */
async function measureBackups(variables: Variables): Promise<string> {
  const added = await command(variables, 'credential', 'add', 'Acme', '--account', 'AcmeWeb', '--json');
  const { username, secret } = JSON.parse(added.stdout) as { readonly username: string; readonly secret: string };
  const copies = join(folder, 'copies');
  mkdirSync(copies);
  let copy = 0;
  const backup = async () => {
    copy += 1;
    const path = join(copies, `${copy}.db`);
    const { seconds } = await command(variables, 'backup', path);
    const { size } = statSync(path);
    rmSync(path);
    return { seconds, size };
  };
  const idle = await backup();
  const store = { engine: 'SQLite', shoppers: rows, variables: { ...variables, ...unlimited } } as const;
  const { server, callers } = await serveAt('serve', store, folder);
  const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  const load = { port: Number(new URL(callers).port), authorization };
  try {
    await answersIn(load, () => setTimeout(plan.roundMs));
    const without: number[] = [];
    const during: number[] = [];
    const seconds: number[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      without.push((await answersIn(load, () => setTimeout(plan.roundMs))).perSecond);
      const backedUp = await answersIn(load, async () => {
        seconds.push((await backup()).seconds);
      });
      during.push(backedUp.perSecond);
      process.stderr.write('.');
    }
    const ratios = during.map((each, at) => (each / without[at]!) * 100).toSorted((a, b) => a - b);
    return [
      `A backup of that store, ${mb(idle.size)} MB, with the start and the check of the copy: ${idle.seconds.toFixed(1)} s without load. Then ${connections} connections list shoppers, and store a card with every tenth request; ${plan.rounds} rounds with a backup and without one, in turn.`,
      [
        '| of the loaded server | median | least | most |',
        '|---|---:|---:|---:|',
        `| a backup, s | ${spread(seconds, 1)} |`,
        `| requests/s without a backup | ${spread(without, 0)} |`,
        `| requests/s during a backup | ${spread(during, 0)} |`,
        `| the same, of the round before, % | ${spread(ratios, 0)} |`,
      ].join('\n'),
    ].join('\n\n');
  } finally {
    await server.stop();
  }
}

/** Each connection sends when it was answered, until `work` ends. */
async function answersIn(
  { port, authorization }: { readonly port: number; readonly authorization: string },
  work: () => Promise<void>,
): Promise<{ readonly perSecond: number }> {
  let answers = 0;
  let sent = 0;
  let refused: number | undefined;
  const next = (): Buffer => {
    sent += 1;
    const shopperReference = `shopper-${1 + Math.floor(Math.random() * rows)}`;
    const storing = {
      card: {
        number: numberOf(Math.floor(Math.random() * 1e8)),
        expiryMonth: '3',
        expiryYear: '2031',
        holderName: 'A B',
      },
      recurring: { contract: 'RECURRING' },
    };
    const isStoring = sent % storingEvery === 0;
    const body = JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference, ...(isStoring && storing) });
    return bytesOf({
      path: `/pal/servlet/Recurring/v68/${isStoring ? 'storeToken' : 'listRecurringDetails'}`,
      headers: { 'Content-Type': 'application/json', Authorization: authorization },
      body,
    });
  };
  const all = Array.from({ length: connections }, () =>
    openConnection({
      port,
      from: '127.0.0.1',
      onOpen: (connection) => connection.send(next()),
      onAnswer(status, connection) {
        if (status === 200) answers += 1;
        else refused ??= status;
        connection.send(next());
      },
      onClose: () => {},
    }),
  );
  const startedAt = performance.now();
  await work();
  const perSecond = (answers * 1000) / (performance.now() - startedAt);
  for (const connection of all) connection.close();
  if (refused !== undefined) throw new Error(`a request was answered with ${refused}`);
  return { perSecond };
}

/** On the core of servers, so that the load has the other one. */
async function command(variables: Variables, ...parameters: readonly string[]): Promise<Ended> {
  const startedAt = performance.now();
  const [launched, all] = pinned(serverCore, process.execPath, [program, ...parameters]);
  const child = spawn(launched, all, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ENVIRONMENT: 'test', ...variables },
  });
  let stdout = '';
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
  const timer = setInterval(() => {
    bytes = Math.max(bytes, memoryBytesOrNone(child.pid!, 'VmHWM'));
  }, 100);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')} ended with ${code}: ${stdout}`);
  return { stdout, bytes, seconds: (performance.now() - startedAt) / 1000 };
}

function csv(): string {
  const lines = [
    'merchantAccount,shopperReference,contracts,card.number,card.expiryMonth,card.expiryYear,card.holderName',
  ];
  for (let row = 1; row <= rows; row += 1)
    lines.push(`AcmeWeb,shopper-${row},"RECURRING,ONECLICK",${numberOf(row)},3,2031,Anna van Dijk`);
  return `${lines.join('\n')}\n`;
}

/** With its check digit. */
function numberOf(row: number): string {
  return appendLuhnDigit(`411111${String(row).padStart(9, '0')}`);
}

function spread(values: readonly number[], digits: number): string {
  return [median(values), Math.min(...values), Math.max(...values)].map((each) => each.toFixed(digits)).join(' | ');
}

function mb(bytes: number): string {
  return (bytes / megabyte).toFixed(0);
}
