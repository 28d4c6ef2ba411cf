/** `npm run bench -- --only callers`: what recording who calls how adds to a request, in CPU time, against no recording. */

import { freshKeys, parseKeyRing } from '../src/core/vault/key-ring.ts';
import { createVault } from '../src/core/vault/vault.ts';
import { createNameClient } from '../src/insight/callers/client-name.ts';
import { type AnsweredCall, type CallerRecorder, createCallerRecorder } from '../src/insight/callers/recorder.ts';
import { conventions } from '../src/payments/conventions.ts';
import { services } from '../src/payments/index.ts';
import { describeMachine } from './machine.ts';
import { type Finding, limited, median, printFindings } from './results.ts';

const usMax = 2;
const rounds = 9;
const requestsPerRound = 200_000;
/** At 2,000 requests a second, the interval of the server has so many. */
const requestsPerFlush = 20_000;

const agents = [
  'PHP-SOAP/8.2.7',
  'Axis/1.4',
  'Zeep/4.2.1 (www.python-zeep.org)',
  'Apache-HttpClient/4.5.13 (Java/1.8.0_292)',
];
const formats = ['soap11', 'soap12', 'json', 'form'];
const recurring = services.find(({ name }) => name === 'Recurring')!;
const operations = [...recurring.operations.values()];
const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1', recurring: { contract: ['ONECLICK'] } };

/** 40 credentials, each with a client, a format and some operations of its own. */
const traffic = Array.from({ length: 40 * operations.length }, (_, n) => {
  const credential = `ws_${n % 40}@Company.Demo`;
  const operation = operations[n % operations.length]!;
  const protocol = formats[n % formats.length]!;
  const headers = {
    host: 'pay.example.com',
    'content-type': 'text/xml; charset=utf-8',
    'content-length': '612',
    authorization: 'Basic d3NAQ29tcGFueS5EZW1vOmRlbW8=',
    'user-agent': agents[n % agents.length]!,
    soapaction: '""',
  };
  const call: AnsweredCall = {
    entry: {
      ...{ protocol, service: 'Recurring', version: 25, requestedVersion: 25, operation: operation.name },
      ...{ credential, tenant: 'Demo', client: 'PHP-SOAP/8.2.7', outcome: 'ok' },
    },
    decoded: { operation, input, issues: [] },
  };
  return { headers, call };
});

const nameClient = createNameClient(conventions.libraryHeaders);
const vault = createVault(parseKeyRing(freshKeys()));
const open = (): CallerRecorder =>
  createCallerRecorder({
    records: { add: async () => {} },
    vault,
    clock: { now: () => Date.now() },
  });

/** Microseconds of CPU for each request; `record` is empty for what the loop itself costs. */
async function measure(record: (n: number) => void, flush: () => Promise<void>): Promise<number> {
  const begun = process.cpuUsage();
  for (let n = 0; n < requestsPerRound; n += 1) {
    record(n);
    if (n % requestsPerFlush === requestsPerFlush - 1) await flush();
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / requestsPerRound;
}

const nothing = async (): Promise<void> => {};

function measureRecording(flush: (recorder: CallerRecorder) => Promise<void>): Promise<number> {
  const recorder = open();
  return measure(
    (n) => {
      const { headers, call } = traffic[n % traffic.length]!;
      nameClient(headers, call.entry.protocol);
      recorder.record(headers, call);
    },
    () => flush(recorder),
  );
}

const works: Readonly<Record<string, () => Promise<number>>> = {
  'the loop alone': () => {
    const read: string[] = [''];
    return measure((n) => {
      const { headers, call } = traffic[n % traffic.length]!;
      read[0] = headers.soapaction.length > 0 ? call.entry.protocol : '';
    }, nothing);
  },
  recording: () => measureRecording(async () => {}),
  'recording, masking, sealing': () => measureRecording((recorder) => recorder.flush()),
  'another User-Agent each time': () => {
    const recorder = open();
    return measure((n) => {
      const { headers, call } = traffic[n % traffic.length]!;
      recorder.record({ ...headers, 'user-agent': `bot/${n}` }, call);
    }, recorder.flush);
  },
};

const times = new Map<string, number[]>(Object.keys(works).map((name) => [name, []]));
for (let round = 0; round <= rounds; round += 1)
  for (const [name, work] of Object.entries(works)) {
    const us = await work();
    // The first round warms up.
    if (round > 0) times.get(name)!.push(us);
  }
const base = median(times.get('the loop alone')!);
const findings: readonly Finding[] = [...times].slice(1).map(([name, all]) => {
  const us = median(all) - base;
  if (name !== 'another User-Agent each time') return limited(name, us, 'at most', usMax, 'us', 2);
  return { name, measured: `${us.toFixed(2)} us`, limit: 'none', holds: true };
});
console.log(
  `CPU time for each request, median of ${rounds} rounds. ${describeMachine('no pinning')}\n\n${printFindings(findings)}`,
);
process.exitCode = findings.every(({ holds }) => holds) ? 0 : 1;
