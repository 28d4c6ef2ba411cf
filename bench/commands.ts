/** `npm run bench -- --only commands`: how long an import and a backup take, and what a backup costs the callers of a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { appendLuhnDigit } from '../src/core/contract/check-digits.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { describeMachine, pinned, serverCore } from './machine.ts';
import { median, table } from './results.ts';
import { closedConnections } from './rounds.ts';
import { serveAt } from './scale/stores.ts';
import { runSection, sectionOptions } from './section.ts';
import { bytesOf, countAnswers } from './security/connection.ts';
import { memoryBytesOrNone } from './server.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
    /** Of the imported file. */
    rows: { type: 'string' },
  },
});
const rows = Number(options.rows ?? (options.quick ? 2_000 : 100_000));
const plan = options.quick ? { rounds: 1, roundMs: 1_000 } : { rounds: 5, roundMs: 5_000 };
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

await runSection('commands', options, async (folder, closing) => {
  const file = join(folder, 'details.csv');
  writeFileSync(file, csv());
  const postgres = await startPostgres({ durable: true });
  closing.defer(() => postgres.discard());
  const embedded: Variables = { DATA_DIR: join(folder, 'embedded'), KEY_FILE: join(folder, 'keys') };
  const shared: Variables = { ...embedded, DATABASE_URL: await postgres.createDatabase() };
  await command(embedded, 'keys', 'create', embedded.KEY_FILE!);
  const lines: (readonly string[])[] = [];
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
      lines.push([name, store, seconds.toFixed(0), (rows / seconds).toFixed(0), mb(bytes)]);
    process.stderr.write('.');
  }
  const text = [
    `A file of ${rows} cards, no server beside it. PostgreSQL with fsync. ${describeMachine('commands and server on one core, PostgreSQL and load on any')}`,
    table(['command', 'store', 's', 'rows/s', 'memory of the command, MB'], lines),
    ...(await measureBackups(embedded, folder)),
  ];
  process.stderr.write('\n');
  return { text, findings: [] };
});

async function prepare(variables: Variables): Promise<void> {
  await command(variables, 'migrate');
  await command(variables, 'credential', 'merchant-account', 'add', 'Acme', 'AcmeWeb');
}

/** Rounds with and without a backup take turns. */
async function measureBackups(variables: Variables, folder: string): Promise<readonly string[]> {
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
    await answersPerSecond(load, () => setTimeout(plan.roundMs));
    const without: number[] = [];
    const during: number[] = [];
    const seconds: number[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      without.push(await answersPerSecond(load, () => setTimeout(plan.roundMs)));
      const rate = await answersPerSecond(load, async () => {
        seconds.push((await backup()).seconds);
      });
      during.push(rate);
      process.stderr.write('.');
    }
    const ratios = during.map((each, at) => (each / without[at]!) * 100);
    return [
      `A backup of that store, ${mb(idle.size)} MB, with the start and the check of the copy: ${idle.seconds.toFixed(1)} s without load. Then ${closedConnections} connections list shoppers, and store a card with every tenth request; ${plan.rounds} rounds with a backup and without one, in turn.`,
      table(
        ['of the loaded server', 'median', 'least', 'most'],
        [
          ['a backup, s', ...spread(seconds, 1)],
          ['requests/s without a backup', ...spread(without, 0)],
          ['requests/s during a backup', ...spread(during, 0)],
          ['the same, of the round before, %', ...spread(ratios, 0)],
        ],
      ),
    ];
  } finally {
    await server.stop();
  }
}

/** Until `work` ends. */
async function answersPerSecond(
  { port, authorization }: { readonly port: number; readonly authorization: string },
  work: () => Promise<void>,
): Promise<number> {
  let sent = 0;
  const next = (): Buffer => {
    sent += 1;
    const shopperReference = `shopper-${1 + Math.floor(Math.random() * rows)}`;
    const number = numberOf(Math.floor(Math.random() * 1e8));
    const card = { number, expiryMonth: '3', expiryYear: '2031', holderName: 'A B' };
    const isStoring = sent % storingEvery === 0;
    const storing = isStoring && { card, recurring: { contract: 'RECURRING' } };
    return bytesOf({
      path: `/pal/servlet/Recurring/v68/${isStoring ? 'storeToken' : 'listRecurringDetails'}`,
      headers: { 'Content-Type': 'application/json', Authorization: authorization },
      body: JSON.stringify({ merchantAccount: 'AcmeWeb', shopperReference, ...storing }),
    });
  };
  let seconds = 0;
  const answers = await countAnswers({ port, connections: closedConnections }, next, async () => {
    const startedAt = performance.now();
    await work();
    seconds = (performance.now() - startedAt) / 1000;
  });
  return answers / seconds;
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

function spread(values: readonly number[], digits: number): readonly string[] {
  return [median(values), Math.min(...values), Math.max(...values)].map((each) => each.toFixed(digits));
}

function mb(bytes: number): string {
  return (bytes / megabyte).toFixed(0);
}
