/** `npm run fault-injection`: every fault class with idempotency records, and without them as the seeded defect. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { doubledEverywhere, isClean } from './checker.ts';
import { type FaultClass, faultClasses, noFault } from './fault-classes.ts';
import { type Infrastructure, type Plan, type Report, runFaults, startInfrastructure } from './run.ts';
import { heading, lineOf } from './table.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, class: { type: 'string' } } });
const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
const wanted = faultClasses.filter(({ name }) => values.class === undefined || name.includes(values.class));

/** What all runs together must have seen, or the result proves too little. */
const leastKeys = 2_000;
const leastKills = { PostgreSQL: 200, SQLite: 60 } as const;

const clients = 24;
/** Longer than the lease of a reservation. */
const stallMs = 16_000;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const isKilling = ({ name }: FaultClass): boolean => name.startsWith('kill -9');

const planWithRecords = (faultClass: FaultClass): Plan => {
  const { store } = faultClass;
  const share = leastKills[store] / faultClasses.filter((each) => isKilling(each) && each.store === store).length;
  const killed = { seconds: 10, secondsMax: 200, enough: ({ kills }: { kills: number }) => kills >= share };
  const still = { seconds: 10, secondsMax: 90, enough: ({ faults }: { faults: number }) => faults >= 3 };
  const usual = { seconds: 14, secondsMax: 40, enough: ({ faults }: { faults: number }) => faults >= 8 };
  const how = isKilling(faultClass) ? killed : faultClass.name.includes('is stopped') ? still : usual;
  return { records: true, seed, clients, stallMs, ...how };
};

/** Some classes need many tries until a request is at the critical point; `secondsMax` ends them. */
const planWithoutRecords: Plan = {
  records: false,
  seed,
  clients,
  stallMs,
  seconds: 3,
  secondsMax: 150,
  enough: ({ doubled }) => doubledEverywhere(doubled),
};

const reports: Report[] = [];
const run = async (faultClass: FaultClass, infrastructure: Infrastructure, plan: Plan): Promise<Report> => {
  const report = await runFaults(faultClass, infrastructure, plan);
  reports.push(report);
  print(lineOf(report));
  if (plan.records) for (const finding of report.verdict.findings) print(`    ${finding}`);
  if (plan.records && !isClean(report.verdict))
    print(`    repeat: npm run fault-injection -- --seed ${seed} --class '${faultClass.name}'`);
  return report;
};

const sum = (of: (report: Report) => number, store: Report['store']): number =>
  reports.filter((report) => report.records && report.store === store).reduce((total, report) => total + of(report), 0);

const all = async (infrastructure: Infrastructure): Promise<boolean> => {
  let clean = 0;
  let found = 0;
  for (const line of heading) print(line);
  if (values.class === undefined)
    for (const records of [true, false])
      await run(noFault, infrastructure, { ...planWithoutRecords, records, seconds: 5, secondsMax: 5 });
  for (const faultClass of wanted) {
    const { faults, verdict } = await run(faultClass, infrastructure, planWithRecords(faultClass));
    if (faults > 0 && isClean(verdict)) clean += 1;
    if (doubledEverywhere((await run(faultClass, infrastructure, planWithoutRecords)).verdict.doubledIn)) found += 1;
  }
  const keys = sum(({ verdict }) => verdict.keys, 'PostgreSQL');
  const kills = { PostgreSQL: sum((each) => each.kills, 'PostgreSQL'), SQLite: sum((each) => each.kills, 'SQLite') };
  print('');
  print(`PostgreSQL and Redis: ${keys} keys, ${kills.PostgreSQL} kills; SQLite: ${kills.SQLite} kills; seed ${seed}`);
  const isBaselineClean = reports.every(
    ({ name, records, verdict }) => name !== noFault.name || !records || isClean(verdict),
  );
  const isEnough =
    values.class !== undefined ||
    (keys >= leastKeys && kills.PostgreSQL >= leastKills.PostgreSQL && kills.SQLite >= leastKills.SQLite);
  if (!isEnough) print('This is too little: repeat the run on an idle machine.');
  if (!isBaselineClean) print('A promise was broken without any fault.');
  print(`${clean} fault classes clean, ${found} seeded defects found`);
  return isEnough && isBaselineClean && wanted.length > 0 && clean === wanted.length && found === wanted.length;
};

print(`seed ${seed}`);
const infrastructure = await startInfrastructure({ durable: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await infrastructure.close();
    process.exit(1);
  });
try {
  process.exitCode = (await all(infrastructure)) ? 0 : 1;
} finally {
  await infrastructure.close();
}
// Open keep-alive connections would delay the exit.
process.exit();
