/** `npm run bench -- --only security`: attacks on a server with its limits, and on one without them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchTriglyph } from '../fleet.ts';
import { describeMachine } from '../machine.ts';
import { writeSection } from '../page.ts';
import { type Finding, printFindings } from '../results.ts';
import { freePort, memoryBytes, type Server, startServer } from '../server.ts';
import { type AttackName, attackNames, attacks, limitsOff } from './attacks.ts';
import { type Got, measureNeighbour, type Neighbour, startAttack } from './children.ts';
import { measureOverload, type Overload, overloadFindings, printOverload } from './overload.ts';

const { values: options } = parseArgs({
  options: {
    /** Short rounds. */
    quick: { type: 'boolean', default: false },
    /** Renews docs/security.md. */
    write: { type: 'boolean', default: false },
    /** Names of attacks with commas between them, and `overload`. */
    attacks: { type: 'string', default: [...attackNames, 'overload'].join(',') },
  },
});
const seconds = options.quick ? 2 : 5;
const leadInMs = 1_500;
const ratioMax = 3;
/** Of compose.yaml. */
const megabytesMax = 512;
const variants = ['on', 'off'] as const;
type Variant = (typeof variants)[number];

interface Measured {
  readonly idle: Neighbour;
  readonly attacked: Neighbour;
  readonly got: Got;
  readonly peakMb: number;
}

interface Running {
  readonly server: Server;
  readonly port: number;
}

const folder = mkdtempSync(join(tmpdir(), 'triglyph-bench-security-'));
const running = new Map<Variant, Running>();
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const { server } of running.values()) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<boolean> {
  const chosen = options.attacks.split(',');
  for (const variant of variants) running.set(variant, await start(variant));
  const rows = new Map<AttackName, Readonly<Record<Variant, Measured>>>();
  for (const name of attackNames.filter((each) => chosen.includes(each))) {
    const [on, off] = [await measure(name, running.get('on')!), await measure(name, running.get('off')!)];
    rows.set(name, { on, off });
    process.stderr.write('.');
  }
  let overload: Overload | undefined;
  if (chosen.includes('overload')) overload = await measureOverload(running.get('on')!, running.get('off')!, seconds);
  process.stderr.write('\n');
  const findings = [...attackFindings(rows), ...(overload === undefined ? [] : overloadFindings(overload))];
  const head = `Each attack for ${seconds} s. ${describeMachine('the server on a core, the neighbour and the attackers on the other')}`;
  const body = [head, print(rows), overload && printOverload(overload), printFindings(findings)];
  const text = body.filter((part) => part !== undefined).join('\n\n');
  console.log(text);
  if (options.write) writeSection('security', text);
  return findings.every(({ holds }) => holds);
}

async function start(variant: Variant): Promise<Running> {
  const port = await freePort();
  mkdirSync(join(folder, variant));
  const withoutLimits = fileURLToPath(new URL('without-limits.ts', import.meta.url));
  const launch = await launchTriglyph({
    folder: join(folder, variant),
    port,
    shoppers: 100,
    ...(variant === 'off' && { before: ['--import', withoutLimits], env: limitsOff }),
  });
  const server = await startServer(launch);
  // The first requests of a process are slow.
  await measureNeighbour(port, options.quick ? 1 : 3);
  return { server, port };
}

async function measure(name: AttackName, { server, port }: Running): Promise<Measured> {
  const { connectsAnew = false } = attacks[name];
  const idle = await measureNeighbour(port, seconds, connectsAnew);
  forgetPeak(server.pid);
  const end = await startAttack(name, port);
  await sleep(leadInMs);
  const attacked = await measureNeighbour(port, seconds, connectsAnew);
  const got = await end();
  const peakMb = memoryBytes(server.pid, 'VmHWM') / 2 ** 20;
  await sleep(leadInMs);
  return { idle, attacked, got, peakMb };
}

/** proc_pid_clear_refs(5): the peak begins anew. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function ratio({ idle, attacked }: Measured): number {
  return attacked.p50Ms / idle.p50Ms;
}

function servedShare({ attacked: { answers, failed } }: Measured): number {
  return answers / Math.max(1, answers + failed);
}

function attackFindings(rows: ReadonlyMap<AttackName, Readonly<Record<Variant, Measured>>>): readonly Finding[] {
  return [...rows].flatMap(([name, { on }]): readonly Finding[] => [
    {
      name: `${name}: the p50 of the neighbour against idle`,
      measured: ratio(on).toFixed(1),
      limit: `below ${ratioMax}`,
      holds: ratio(on) < ratioMax && servedShare(on) === 1,
    },
    {
      name: `${name}: memory`,
      measured: `${on.peakMb.toFixed(0)} MB`,
      limit: `below ${megabytesMax} MB`,
      holds: on.peakMb < megabytesMax,
    },
  ]);
}

function print(rows: ReadonlyMap<AttackName, Readonly<Record<Variant, Measured>>>): string {
  const lines = [...rows].flatMap(([name, both]) =>
    variants.map((variant) => {
      const { idle, attacked, got, peakMb } = both[variant];
      const cells = [
        attacks[name].title,
        variant,
        inMs(idle.p50Ms),
        inMs(attacked.p50Ms),
        ratio(both[variant]).toFixed(1),
        inMs(attacked.p99Ms),
        `${(servedShare(both[variant]) * 100).toFixed(0)} %`,
        Object.entries(got)
          .map(([what, count]) => `${count} x ${what}`)
          .join(', '),
        peakMb.toFixed(0),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  return [
    "| attack | limits | neighbour's p50 idle, ms | under attack, ms | ratio | p99, ms | served | the attacker got | memory, MB |",
    '|---|---|---:|---:|---:|---:|---:|---|---:|',
    ...lines,
  ].join('\n');
}

function inMs(ms: number): string {
  return Number.isFinite(ms) ? ms.toFixed(1) : 'none';
}
