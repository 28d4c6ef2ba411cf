/** Tests the parts of the audit log without a store: counted reads, lost events, and the targets of copies. */
import { expect, test } from '@jest/globals';
import { gatewayActor } from '../../src/access/audit/audit-event.ts';
import { bufferedMax, createAuditTrail } from '../../src/access/audit/audit-trail.ts';
import type { RecordedEvent } from '../../src/access/audit/chain.ts';
import { parseCopyTarget } from '../../src/access/audit/copy/target.ts';
import { createRequestAudit, returnsSensitive } from '../../src/access/request-audit.ts';
import { createServerAudit } from '../../src/backend/server-audit.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { WireRequest } from '../../src/core/formats/wire.ts';
import type { Log } from '../../src/http/log.ts';
import type { Metrics } from '../../src/http/metrics/metrics.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { createMemoryAuditTrail } from '../support/memory-audit-trail.ts';
import { readConfig } from '../support/services.ts';
import { until } from '../support/until.ts';

const listing = recurringV25.operations.get('listRecurringDetails')!;
const disabling = recurringV25.operations.get('disable')!;
const answer = (credential: string, operation = listing, problem?: Problem) => ({
  entry: {
    ...{ protocol: 'json', service: 'Recurring', tenant: 'Acme', credential, outcome: 'ok', problem },
    ...{ requestReference: 'P', version: 25, requestedVersion: 25, operation: operation.name, weakKey: undefined },
    replayed: undefined,
  },
  decoded: { operation, input: {}, issues: [] },
});

test('the contract says which operations return card data', () => {
  expect([returnsSensitive(listing), returnsSensitive(disabling)]).toEqual([true, false]);
});

const wire = {} as WireRequest;

test('reads are counted for each credential and operation, and first uses are recorded once', () => {
  const trail = createMemoryAuditTrail();
  const audit = createRequestAudit(trail);
  for (const each of ['c1', 'c1', 'c2', 'c1']) audit.answered(wire, answer(each));
  audit.answered(wire, answer('c1', disabling));
  audit.answered(wire, answer('c3', listing, new Problem('internal')));
  audit.recordCounts();
  audit.recordCounts();
  const recorded = trail.events.map(({ kind, actor, subject, detail }) => [kind, actor.name, subject, detail?.reads]);
  expect(recorded).toEqual([
    ['credentialFirstUsed', 'c1', 'c1', undefined],
    ['credentialFirstUsed', 'c2', 'c2', undefined],
    ['cardDataRead', 'c1', 'listRecurringDetails', 3],
    ['cardDataRead', 'c2', 'listRecurringDetails', 1],
  ]);
});

test('a server stores events and ends while the target of the copy hangs', async () => {
  let stored = 0;
  let isCopying = false;
  const trail = {
    ...createMemoryAuditTrail(),
    flush: async () => {
      stored += 1;
    },
  };
  const backend = {
    audit: trail,
    auditLog: { follow: async () => {} },
    auditCopy: {
      listen: () => {},
      copyNew: () => {
        isCopying = true;
        return new Promise(() => {});
      },
    },
    rotation: { wrapping: { current: 'k-1' } },
    processName: 'host 1',
  } as unknown as Parameters<typeof createServerAudit>[1];
  const config = readConfig('production', { AUDIT: 'on' });
  const audit = createServerAudit(config, backend, {
    log: {} as Log,
    metrics: { addEventCounter: () => () => {} } as unknown as Metrics,
  });
  audit.start();
  await until('a copy hangs', () => isCopying);
  const before = stored;
  await until('more is stored', () => stored > before + 1);
  await audit.stop();
  expect(trail.events.at(-1)?.kind).toBe('stopped');
});

test('a failing store is tried again in order, and what had no place is counted', async () => {
  const stored: RecordedEvent[] = [];
  let fails = true;
  const trail = createAuditTrail({
    clock: { now: () => 1 },
    append: async (events) => {
      if (fails) throw new Error('no store');
      stored.push(...events);
      return [];
    },
  });
  const record = (subject: string) => trail.record({ kind: 'limitReached', actor: gatewayActor, subject });
  for (let at = 0; at < bufferedMax + 3; at += 1) record(String(at));
  await expect(trail.flush()).rejects.toThrow('no store');
  fails = false;
  await trail.flush();
  expect(stored.slice(0, -1).map(({ event }) => event.subject)).toEqual([...Array(bufferedMax).keys()].map(String));
  expect(stored.at(-1)?.event).toMatchObject({ kind: 'eventsLost', detail: { events: 3 } });
  record('later');
  await trail.flush();
  expect(stored.at(-1)?.event.subject).toBe('later');
});

test.each([
  ['file:/var/log/a.jsonl', { kind: 'file', path: '/var/log/a.jsonl', sync: true }],
  ['file:/var/log/a.jsonl?sync=off', { kind: 'file', path: '/var/log/a.jsonl', sync: false }],
  ['syslog+udp://log.example.com', { kind: 'udp', host: 'log.example.com', port: 514 }],
  ['syslog+tcp://10.0.0.1:601', { kind: 'tcp', host: '10.0.0.1', port: 601 }],
  ['syslog+tls://[2001:db8::1]:80', { kind: 'tls', host: '2001:db8::1', port: 80 }],
  ['syslog+unix:/run/audit.sock', { kind: 'unix', path: '/run/audit.sock' }],
  ['file:audit.jsonl', undefined],
  ['file:/var/log/', undefined],
  ['file:/a?sync=on', undefined],
  ['syslog+tcp://user:secret@host', undefined],
  ['syslog+tcp://host/path', undefined],
  ['syslog+tcp:host', undefined],
  ['syslog://host', undefined],
  ['/var/log/a.jsonl', undefined],
])('%s', (text, target) => {
  expect(parseCopyTarget(text)).toEqual(target);
});
