/** Measures how much longer the vault takes to open a sealed value than one `createDecipheriv` does, in one process. */
import { createDecipheriv, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { freshKeys, parseKeyRing } from '../src/core/vault/key-ring.ts';
import { binding, nonceBytes, sealBytes } from '../src/core/vault/seal.ts';
import { createVault } from '../src/core/vault/vault.ts';
import { describeMachine } from './machine.ts';
import { limited, median, table } from './results.ts';
import { printReport, sectionOptions } from './section.ts';

const { values: options } = parseArgs({ options: sectionOptions });
const rounds = options.quick ? 20 : 100;
const callsPerRound = 3_000;
/** As many as 10,000 shoppers with three details each have. */
const valueCount = 30_000;
const ratioMax = 1.6;
const tagBytes = 16;
const tenant = 'DemoCompany';
const payload = '{"socialSecurityNumber":"123456789"}';

/** Everything is prepared that one opening needs. */
function bareOpening(record: string): () => unknown {
  const [key, nonce] = [randomBytes(32), randomBytes(nonceBytes)];
  const bound = binding(tenant, record, 'shown', 'k-1f2e3d4c');
  const bytes = Buffer.from(sealBytes(key, nonce, bound, payload), 'base64');
  const [body, tag] = [bytes.subarray(nonceBytes, -tagBytes), bytes.subarray(-tagBytes)];
  return () => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(bound);
    decipher.setAuthTag(tag);
    return [decipher.update(body), decipher.final()];
  };
}

const vault = createVault(parseKeyRing(freshKeys()));

function vaultOpening(record: string): () => unknown {
  const scope = { tenant, record };
  const sealed = vault.seal(scope, { number: '4111111111111111', payload });
  return () => vault.open(scope, sealed, 'payload');
}

const records = Array.from({ length: valueCount }, (_, index) => String(8_313_147_000_000_000 + index));
const [bare, opened] = [records.map(bareOpening), records.map(vaultOpening)];

/** Neighbours lie next to each other in memory, and values of different requests do not. */
function inTurn(openings: readonly (() => unknown)[]): () => unknown {
  let at = 0;
  return () => {
    at = (at + 7_919) % openings.length;
    return openings[at]!();
  };
}

const works = {
  bare: bare[0]!,
  vault: opened[0]!,
  bareInTurn: inTurn(bare),
  vaultInTurn: inTurn(opened),
} satisfies Readonly<Record<string, () => unknown>>;
type Work = keyof typeof works;
const names = Object.keys(works) as readonly Work[];

/** CPU time of one call in microseconds. */
function measure(work: () => unknown): number {
  const start = process.cpuUsage();
  for (let call = 0; call < callsPerRound; call += 1) work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / callsPerRound;
}

// Fills the cache of data keys.
for (const open of opened) open();
const times: Record<Work, number[]> = { bare: [], vault: [], bareInTurn: [], vaultInTurn: [] };
for (let round = -10; round < rounds; round += 1)
  for (const name of names) {
    const us = measure(works[name]);
    if (round >= 0) times[name].push(us);
  }
const us = (name: Work) => median(times[name]);

const finding = (name: string, ratio: number) => limited(name, ratio, 'at most', ratioMax);
const findings = [
  finding('One value again and again, against a bare opening of one', us('vault') / us('bare')),
  finding(`${valueCount} values in turn, against a bare opening of as many`, us('vaultInTurn') / us('bareInTurn')),
];
const row = (title: string, name: Work) => [
  title,
  ...[Math.min(...times[name]), us(name), us(name) / us('bare')].map((each) => each.toFixed(2)),
];
const text = [
  `CPU time of one opening in microseconds, ${rounds} alternating rounds. ${describeMachine('no pinning')}`,
  table(
    ['opening', 'lowest', 'median', 'against a bare one of one value'],
    [
      row('`createDecipheriv`, one value', 'bare'),
      row('vault, one value', 'vault'),
      row(`\`createDecipheriv\`, ${valueCount} values in turn`, 'bareInTurn'),
      row(`vault, ${valueCount} values in turn`, 'vaultInTurn'),
    ],
  ),
];
process.exitCode = printReport('openings', { text, findings }, options.write) ? 0 : 1;
