/** `npm run bench -- --only security`: attacks on a server with its limits, and on one without them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchTriglyph, shoppersMin } from '../fleet.ts';
import { describeMachine } from '../machine.ts';
import { type Finding, limited, table } from '../results.ts';
import type { Running } from '../rounds.ts';
import { runSection, sectionOptions } from '../section.ts';
import { forgetPeakMemory, freePort, memoryBytes, startServer } from '../server.ts';
import { type AttackName, attackNames, attacks, limitsOff } from './attacks.ts';
import { type Got, measureNeighbour, type Neighbour, startAttack } from './children.ts';
import { measureOverload, overloadFindings, printOverload } from './overload.ts';

const { values: options } = parseArgs({
  options: {
    ...sectionOptions,
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

type Rows = ReadonlyMap<AttackName, Readonly<Record<Variant, Measured>>>;

await runSection('security', options, async (folder, closing) => {
  const start = async (variant: Variant): Promise<Running> => {
    const running = await startVariant(variant, join(folder, variant));
    closing.defer(() => running.server.stop());
    return running;
  };
  const chosen = options.attacks.split(',');
  const running = { on: await start('on'), off: await start('off') };
  const rows = new Map<AttackName, Readonly<Record<Variant, Measured>>>();
  for (const name of attackNames.filter((each) => chosen.includes(each))) {
    rows.set(name, { on: await measure(name, running.on), off: await measure(name, running.off) });
    process.stderr.write('.');
  }
  const overload = chosen.includes('overload') ? await measureOverload(running.on, running.off, seconds) : undefined;
  process.stderr.write('\n');
  const head = `Each attack for ${seconds} s. ${describeMachine('the server on a core, the neighbour and the attackers on the other')}`;
  return {
    text: [head, print(rows), ...(overload === undefined ? [] : printOverload(overload))],
    findings: [...attackFindings(rows), ...(overload === undefined ? [] : overloadFindings(overload))],
  };
});

async function startVariant(variant: Variant, folder: string): Promise<Running> {
  const port = await freePort();
  mkdirSync(folder);
  const replaced = fileURLToPath(new URL('../replaced-sources.ts', import.meta.url));
  const launch = await launchTriglyph({
    folder,
    port,
    shoppers: shoppersMin,
    ...(variant === 'off' && { before: ['--import', replaced], env: { ...limitsOff, BENCH_WITHOUT: 'limits' } }),
  });
  const server = await startServer(launch);
  // The first requests of a process are slow.
  await measureNeighbour(port, options.quick ? 1 : 3);
  return { server, port };
}

async function measure(name: AttackName, { server, port }: Running): Promise<Measured> {
  const { connectsAnew = false } = attacks[name];
  const idle = await measureNeighbour(port, seconds, connectsAnew);
  forgetPeakMemory(server.pid);
  const end = await startAttack(name, port);
  await sleep(leadInMs);
  const attacked = await measureNeighbour(port, seconds, connectsAnew);
  const got = await end();
  const peakMb = memoryBytes(server.pid, 'VmHWM') / 2 ** 20;
  await sleep(leadInMs);
  return { idle, attacked, got, peakMb };
}

function ratio({ idle, attacked }: Measured): number {
  return attacked.p50Ms / idle.p50Ms;
}

function servedShare({ attacked: { answers, failed } }: Measured): number {
  return answers / Math.max(1, answers + failed);
}

function attackFindings(rows: Rows): readonly Finding[] {
  return [...rows].flatMap(([name, { on }]): readonly Finding[] => {
    const slowed = limited(`${name}: the p50 of the neighbour against idle`, ratio(on), 'below', ratioMax);
    return [
      { ...slowed, holds: slowed.holds && servedShare(on) === 1 },
      limited(`${name}: memory`, on.peakMb, 'below', megabytesMax, 'MB'),
    ];
  });
}

function print(rows: Rows): string {
  return table(
    [
      ...['attack', 'limits', "neighbour's p50 idle, ms", 'under attack, ms', 'ratio', 'p99, ms', 'served'],
      ...['the attacker got', 'memory, MB'],
    ],
    [...rows].flatMap(([name, both]) =>
      variants.map((variant) => {
        const { idle, attacked, got, peakMb } = both[variant];
        const answers = Object.entries(got).map(([what, count]) => `${count} x ${what}`);
        return [
          ...[attacks[name].title, variant, inMs(idle.p50Ms), inMs(attacked.p50Ms)],
          ...[ratio(both[variant]).toFixed(1), inMs(attacked.p99Ms)],
          ...[`${(servedShare(both[variant]) * 100).toFixed(0)} %`, answers.join(', '), peakMb.toFixed(0)],
        ];
      }),
    ),
  );
}

function inMs(ms: number): string {
  return Number.isFinite(ms) ? ms.toFixed(1) : 'none';
}
