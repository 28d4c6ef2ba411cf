/** The audit log on every engine: what was tampered with is found, processes share one chain, and old entries leave it whole. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditEvent } from '../../src/access/audit/audit-event.ts';
import { type AuditLog, StoredAuditLog } from '../../src/access/audit/audit-log.ts';
import { createAuditTrail } from '../../src/access/audit/audit-trail.ts';
import { createWrapping } from '../../src/core/vault/data-key.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { createKeyRotation } from '../../src/stores/sql/key-rotation.ts';
import { ring, ringText } from '../support/fixture.ts';
import { tables } from '../support/migrated.ts';
import { sqlText } from './samples.ts';
import type { EngineFactory } from './store.ts';

const start = 1_700_000_000_000;
const dayMs = 86_400_000;

const event = (subject: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  kind: 'command',
  actor: { type: 'user', name: 'anna' },
  subject,
  detail: { company: 'Acme' },
  ...more,
});

const names = ['one', 'two', 'three', 'four', 'five', 'six'];

/** What a thief of the database password can do: the owner of tables removes their triggers. */
export const disarm: Readonly<Record<Engine['dialect'], readonly string[]>> = {
  sqlite: ['audit_entry_update', 'audit_entry_delete', 'audit_chain_update', 'audit_chain_delete'].map(
    (name) => `drop trigger ${name}`,
  ),
  postgres: ['audit_entry', 'audit_chain'].map((name) => `alter table ${name} disable trigger user`),
};

const saveAll = [
  'create table saved_chain as select * from audit_chain',
  'create table saved_entry as select * from audit_entry',
];
const restoreAll = [
  'delete from audit_chain',
  'insert into audit_chain select * from saved_chain',
  'delete from audit_entry where sequence > (select last_sequence from saved_chain)',
];

export function describeAuditLog({ open, dispose }: EngineFactory): void {
  describe('audit log', () => {
    let engine: Engine;
    let now: number;
    const clock = { now: () => now };
    const createLog = (process = 'host 1', keys = ring): AuditLog =>
      new StoredAuditLog({ engine, vault: createVault(keys), clock, process, tables });
    const run = (...texts: readonly string[]) =>
      engine.write(async (session) => {
        for (const text of texts) await session.execute(sqlText(text), []);
      });
    const append = (log: AuditLog, ...subjects: readonly string[]) =>
      log.append(subjects.map((subject) => ({ event: event(subject), recordedAt: now, once: false })));
    const messages = async (log = createLog()) => (await log.verify())?.faults.map(({ message }) => message);

    beforeEach(async () => {
      engine = await open();
      now = start;
    });
    afterEach(() => dispose(engine));

    test('nothing was recorded in a new store', async () => {
      expect(await createLog().verify()).toBeUndefined();
      expect(await createLog().list({ max: 10 })).toEqual([]);
    });

    test('entries hold their events, and filters find them', async () => {
      const log = createLog();
      await append(log, 'one');
      now += 1_000;
      await log.append([{ event: event('two', { kind: 'started' }), recordedAt: now, once: false }]);
      expect((await log.list({ max: 10 })).map(({ mac, ...entry }) => entry)).toEqual([
        {
          ...{ sequence: 1, recordedAt: start, kind: 'command', actorType: 'user', actor: 'anna', subject: 'one' },
          ...{ detail: '{"company":"Acme"}', process: 'host 1' },
        },
        expect.objectContaining({ sequence: 2, recordedAt: start + 1_000, kind: 'started' }),
      ]);
      for (const filter of [{ kind: 'started' }, { subject: 'two' }, { since: now }, { max: 1 }])
        expect(await log.list({ max: 10, ...filter })).toMatchObject([{ sequence: 2 }]);
      expect(await log.list({ max: 10, until: now, actor: 'anna' })).toMatchObject([{ sequence: 1 }]);
      expect(await log.list({ max: 10, actor: 'bert' })).toEqual([]);
    });

    test('the tables refuse changes, however they are written', async () => {
      await append(createLog(), ...names);
      for (const text of [
        `update audit_entry set subject = 'other' where sequence = 2`,
        'delete from audit_entry where sequence = 2',
        'delete from audit_entry',
        'update audit_chain set last_sequence = 1',
        'delete from audit_chain',
        ...(engine.dialect === 'postgres' ? ['truncate audit_entry', 'truncate audit_chain'] : []),
      ])
        await expect(run(text)).rejects.toThrow('the audit log is append-only');
      expect(await messages()).toEqual([]);
    });

    test('control: a chain that nothing has touched holds, without the triggers too', async () => {
      await append(createLog(), ...names);
      await run(...disarm[engine.dialect]);
      await append(createLog('host 2'), 'seven');
      expect(await createLog().verify()).toEqual({ entries: 7, faults: [] });
    });

    test.each<[string, readonly string[], readonly string[]]>([
      [
        'a changed subject',
        [`update audit_entry set subject = 'x' where sequence = 3`],
        ['the entry was changed, moved or added'],
      ],
      [
        'a changed time',
        ['update audit_entry set recorded_at = 1 where sequence = 3'],
        ['the entry was changed, moved or added'],
      ],
      [
        'a changed actor',
        [`update audit_entry set actor = 'bert' where sequence = 1`],
        ['the entry was changed, moved or added'],
      ],
      ['a removed entry', ['delete from audit_entry where sequence = 3'], ['entry 3 is missing']],
      ['removed first entries', ['delete from audit_entry where sequence <= 2'], ['entries 1 to 2 are missing']],
      ['removed last entries', ['delete from audit_entry where sequence >= 5'], ['entries 5 to 6 are missing']],
      ['all entries removed', ['delete from audit_entry'], ['entries 1 to 6 are missing']],
      [
        'two entries in another order',
        [
          'update audit_entry set sequence = 100 where sequence = 2',
          'update audit_entry set sequence = 2 where sequence = 3',
          'update audit_entry set sequence = 3 where sequence = 100',
        ],
        // The one after them does not follow either.
        Array(3).fill('the entry was changed, moved or added'),
      ],
      [
        'a removed entry whose place is closed',
        [
          'delete from audit_entry where sequence = 3',
          'update audit_entry set sequence = sequence - 1 where sequence = 4',
          'update audit_entry set sequence = sequence - 1 where sequence = 5',
          'update audit_entry set sequence = sequence - 1 where sequence = 6',
        ],
        [...Array(3).fill('the entry was changed, moved or added'), 'entry 6 is missing'],
      ],
      [
        'an added entry',
        [
          `insert into audit_entry select 7, recorded_at, kind, actor_type, actor, subject, detail, process, mac from audit_entry where sequence = 6`,
        ],
        ['entries follow the end of the chain'],
      ],
      [
        'removed last entries, with a new end',
        [
          'delete from audit_entry where sequence >= 5',
          'update audit_chain set last_sequence = 4, last_mac = (select mac from audit_entry where sequence = 4)',
        ],
        ['the end of the chain is forged'],
      ],
      [
        'removed first entries, as if their time were over',
        [
          'update audit_chain set removed_through = 2, removed_mac = (select mac from audit_entry where sequence = 2)',
          'delete from audit_entry where sequence <= 2',
        ],
        ['the end of the chain is forged'],
      ],
      ['a removed end', ['delete from audit_chain'], ['the end of the chain is missing']],
    ])('finds %s', async (_, texts, found) => {
      await append(createLog(), ...names);
      await run(...disarm[engine.dialect], ...texts);
      expect(await messages()).toEqual(found);
    });

    test.each<[string, readonly string[]]>([
      [
        'a forged end',
        [
          'delete from audit_entry where sequence >= 5',
          'update audit_chain set last_sequence = 4, last_mac = (select mac from audit_entry where sequence = 4)',
        ],
      ],
      ['a removed end', ['delete from audit_chain']],
    ])('goes on behind %s, and does not sign it', async (_, texts) => {
      await append(createLog(), ...names);
      await run(...disarm[engine.dialect], ...texts);
      await append(createLog(), 'later');
      expect(await messages()).toContain('a process found the end of the chain forged, or set back');
      expect(await createLog().list({ max: 1, subject: 'later' })).toHaveLength(1);
    });

    test('without an anchor, a log that was set back with its end verifies, and the process that wrote it finds it', async () => {
      const log = createLog();
      await append(log, ...names);
      await run(...saveAll, ...disarm[engine.dialect]);
      await append(log, 'seven', 'eight');
      await run(...restoreAll);
      // Nothing in the database shows this. A copy elsewhere does.
      expect(await messages()).toEqual([]);
      await append(log, 'nine');
      expect(await messages()).toContain('a process found the end of the chain forged, or set back');
    });

    test('a process without the keys extends no chain', async () => {
      await append(createLog(), 'one');
      const other = parseKeyRing(ringText.replaceAll('11', '44'));
      await expect(append(createLog('host 2', other), 'two')).rejects.toThrow();
      expect(await createLog().verify()).toEqual({ entries: 1, faults: [] });
    });

    test('processes that append at once make one chain', async () => {
      const logs = [1, 2, 3, 4].map((id) => createLog(`host ${id}`));
      const rounds = 10;
      await Promise.all(
        logs.map(async (log) => {
          for (let round = 0; round < rounds; round += 1) await append(log, 'one', 'two');
        }),
      );
      expect(await createLog().verify()).toEqual({ entries: logs.length * rounds * 2, faults: [] });
      const entries = await createLog().list({ max: 1_000 });
      for (let id = 1; id <= logs.length; id += 1) {
        const own = entries.filter(({ process }) => process === `host ${id}`);
        expect(own.map(({ subject }) => subject)).toEqual(Array(rounds).fill(['one', 'two']).flat());
      }
    });

    test('entries are in the transaction of an effect', async () => {
      const log = createLog();
      const recorded = { event: event('one'), recordedAt: now, once: false };
      await engine.write((session) => log.appendIn(session, [recorded]));
      const failed = engine.write(async (session) => {
        await log.appendIn(session, [recorded]);
        throw new Error('no effect');
      });
      await expect(failed).rejects.toThrow('no effect');
      expect(await log.verify()).toEqual({ entries: 1, faults: [] });
    });

    test('what happens once is recorded once, by whichever process', async () => {
      const first = { event: event('c1', { kind: 'credentialFirstUsed' }), recordedAt: now, once: true };
      await createLog().append([first, first]);
      await createLog('host 2').append([first, { ...first, event: { ...first.event, subject: 'c2' } }]);
      const subjects = (await createLog().list({ max: 10 })).map(({ subject }) => subject);
      expect(subjects).toEqual(['c1', 'c2']);
    });

    test('entries leave when their time is over, in steps, and the rest still verifies', async () => {
      const log = createLog();
      await append(log, ...Array<string>(700).fill('old'));
      now += 10 * dayMs;
      await append(log, ...names);
      let pauses = 0;
      const pause = async () => {
        pauses += 1;
        expect(await messages()).toEqual([]);
      };
      expect(await log.removeBefore(now - dayMs, pause)).toBe(700);
      expect(pauses).toBe(1);
      expect(await createLog().verify()).toEqual({ entries: names.length + 1, faults: [] });
      const [removal] = await log.list({ max: 1 });
      expect(removal).toMatchObject({ kind: 'destroyed', subject: 'auditEntry', sequence: 707 });
      expect(JSON.parse(removal!.detail)).toEqual({ from: 1, through: 700, rows: 700 });
      expect(await log.removeBefore(now - dayMs)).toBe(0);
      // The triggers refuse what is not over.
      await expect(run('delete from audit_entry where sequence = 701')).rejects.toThrow('append-only');
      await append(log, 'later');
      expect(await createLog().verify()).toEqual({ entries: names.length + 2, faults: [] });
    });

    test('an interrupted removal is completed by the next one', async () => {
      const log = createLog();
      await append(log, ...Array<string>(700).fill('old'));
      now += dayMs;
      const crash = async () => {
        throw new Error('crash');
      };
      await expect(log.removeBefore(now, crash)).rejects.toThrow('crash');
      expect(await messages()).toEqual([]);
      expect(await createLog('host 2').removeBefore(now - 1)).toBe(200);
      expect(await createLog().verify()).toEqual({ entries: 1, faults: [] });
    });

    test('the key of the chain moves to another wrapping key', async () => {
      await append(createLog(), 'one');
      const both = parseKeyRing(`k-new:${'55'.repeat(32)}\n${ringText}`);
      const rotation = createKeyRotation(engine, createWrapping(both), tables);
      expect(await rotation.rotate({ begun: () => {}, moved: () => {} })).toMatchObject({ moved: 1 });
      const rotated = parseKeyRing(`k-new:${'55'.repeat(32)}\n${ringText.split('\n').slice(1).join('\n')}`);
      await append(createLog('host 1', rotated), 'two');
      expect(await createLog('host 1', rotated).verify()).toEqual({ entries: 2, faults: [] });
    });

    test('a trail stores batches in their order, and says how many events it had no place for', async () => {
      const log = createLog();
      const trail = createAuditTrail({ append: log.append, clock });
      for (let at = 0; at < 250; at += 1) trail.record(event(String(at)));
      await trail.append([event('last')]);
      const entries = await log.list({ max: 1_000 });
      expect(entries.map(({ subject }) => subject)).toEqual([...Array(250).keys()].map(String).concat('last'));
      expect(await messages()).toEqual([]);
    });
  });
}
