/** Copies of the audit log, on every engine: none is left out, whoever has recorded it, and a crash repeats entries at most. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAuditCopy } from '../../src/access/audit/audit-copy.ts';
import { StoredAuditLog } from '../../src/access/audit/audit-log.ts';
import type { AuditEntry } from '../../src/access/audit/chain.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';
import { loadIntegrity } from '../../src/stores/sql/row-integrity-state.ts';
import { tables } from '../support/migrated.ts';
import { disarm } from './audit-log.ts';
import { furnish, runText, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

const clock = { now: () => 1_700_000_000_000 };
const numbers = (from: number, through: number) => Array.from({ length: through - from + 1 }, (_, at) => from + at);

export function describeAuditCopy({ open, dispose }: EngineFactory): void {
  describe('copies of the audit log', () => {
    let engine: Engine;
    let copied: number[];
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
      copied = [];
    });
    afterEach(() => dispose(engine));

    const start = async (owner: string, write?: (entries: readonly AuditEntry[]) => Promise<void>) => {
      const integrity = new RowIntegrity();
      await loadIntegrity(engine, vault, integrity, { create: true });
      const log = new StoredAuditLog({ engine, vault, clock, process: owner, tables });
      integrity.pin(log.pin);
      const toMemory = async (entries: readonly AuditEntry[]) => {
        copied.push(...entries.map(({ sequence }) => sequence));
      };
      const writer = { name: 'memory', write: write ?? toMemory, close: () => {} };
      return { log, copy: createAuditCopy({ engine, log, integrity, writer, owner }), toMemory };
    };
    type Process = Awaited<ReturnType<typeof start>>;
    const record = ({ log }: Pick<Process, 'log'>, entries: number) =>
      log.append(
        numbers(1, entries).map((at) => ({
          event: { kind: 'command', actor: { type: 'user', name: 'anna' }, subject: String(at) },
          recordedAt: clock.now(),
          once: false,
        })),
      );
    const faults = async () => (await (await start('host 9')).log.verify())?.faults;

    test('entries of a process without a copy are copied by the next one that has one, each once', async () => {
      const [server, command] = [await start('host 1'), await start('host 2')];
      await record(server, 2);
      await server.copy.copyNew();
      await record(command, 3);
      await server.copy.copyNew();
      await server.copy.copyNew();
      // Another process goes on where the first one was.
      await record(server, 1);
      await command.copy.copyNew();
      expect(copied).toEqual(numbers(1, 6));
    });

    test('more entries than a page are copied in order, and processes at the same time repeat none', async () => {
      const processes = [await start('host 1'), await start('host 2'), await start('host 3')];
      await record(processes[0]!, 1_200);
      await Promise.all(processes.flatMap(({ copy }) => [copy.copyNew(), copy.copyNew()]));
      await processes[1]!.copy.copyNew();
      expect(copied).toEqual(numbers(1, 1_200));
    });

    test('what the target does not take is copied later, and reported at the end of a process', async () => {
      const full = async () => {
        throw new Error('the disk is full');
      };
      const failing = await start('host 1', full);
      await record(failing, 2);
      await expect(failing.copy.copyNew()).rejects.toThrow('the disk is full');
      const failures: unknown[] = [];
      failing.copy.listen((thrown) => failures.push(thrown));
      await failing.copy.close();
      expect(failures).toEqual([new Error('the disk is full')]);
      const next = await start('host 2');
      await next.copy.close();
      expect(copied).toEqual([1, 2]);
    });

    test('the end of a process does not wait for a target that hangs', async () => {
      const stuck = await start('host 1', () => new Promise(() => {}));
      await record(stuck, 1);
      const failures: unknown[] = [];
      stuck.copy.listen((thrown) => failures.push(thrown));
      await stuck.copy.close(20);
      expect(failures).toEqual([new Error('the target does not take the entries in time')]);
    });

    test('a crash after the target took the entries repeats them, and loses none', async () => {
      const crashing: Process = await start('host 1', async (entries) => {
        await crashing.toMemory(entries);
        throw new Error('crash');
      });
      await record(crashing, 2);
      await expect(crashing.copy.copyNew()).rejects.toThrow('crash');
      const next = await start('host 2');
      await record(next, 1);
      await next.copy.copyNew();
      expect(copied).toEqual([1, 2, 1, 2, 3]);
    });

    test('a process that is killed while it copies delays the others until its lease ends', async () => {
      const stuck = await start('host 1', () => new Promise(() => {}));
      await record(stuck, 2);
      void stuck.copy.copyNew();
      const next = await start('host 2');
      while ((await lease()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await next.copy.copyNew();
      expect(copied).toEqual([]);
      await runText(engine, 'update lease set expires_at = 0');
      await next.copy.copyNew();
      expect(copied).toEqual([1, 2]);
    });
    const lease = () => runText(engine, `update lease set owner = owner where name like 'audit copy%'`);

    test.each([
      'update audit_copy set sequence = 4, mac = (select mac from audit_entry where sequence = 4)',
      'update audit_copy set row_mac = null, sequence = 4',
      'delete from audit_copy',
    ])('nobody can have entries left out: %s', async (text) => {
      const server = await start('host 1');
      await record(server, 2);
      await server.copy.copyNew();
      await record(server, 2);
      await runText(engine, text);
      await server.copy.copyNew();
      expect(copied).toEqual([1, 2, 1, 2, 3, 4]);
    });

    test('a log that is set back, and goes on, is copied again from its beginning; the place of the copy shows it, too', async () => {
      const server = await start('host 1');
      await record(server, 3);
      for (const table of ['entry', 'chain'])
        await runText(engine, `create table saved_${table} as select * from audit_${table}`);
      await runText(engine, 'create table saved_anchor as select audit_anchor from row_integrity');
      await record(server, 3);
      await server.copy.copyNew();
      expect(await faults()).toEqual([]);
      for (const text of [
        ...disarm[engine.dialect],
        'delete from audit_entry where sequence > 3',
        'delete from audit_chain',
        'insert into audit_chain select * from saved_chain',
        'update row_integrity set audit_anchor = (select audit_anchor from saved_anchor)',
      ])
        await runText(engine, text);
      expect(await faults()).toMatchObject([
        { sequence: 6, message: 'rows of audit_copy were signed when the log had another entry' },
      ]);
      const other = await start('host 2');
      await record(other, 5);
      await other.copy.copyNew();
      expect(copied).toEqual([...numbers(1, 6), ...numbers(1, 8)]);
    });

    test('entries whose time was over before they were copied are not waited for', async () => {
      const server = await start('host 1');
      await record(server, 3);
      await server.log.removeBefore(clock.now() + 1);
      await record(server, 1);
      await server.copy.copyNew();
      expect(copied).toEqual([4, 5]);
    });
  });
}
