/** An audit log that was removed or set back as a whole, on every engine: what lies outside of its tables finds it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AuditLog, StoredAuditLog } from '../../src/access/audit/audit-log.ts';
import { auditTables } from '../../src/access/audit/tables.ts';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { RowIntegrity } from '../../src/stores/row-integrity.ts';
import { migrationStatements } from '../../src/stores/sql/create-tables.ts';
import type { Engine, Row } from '../../src/stores/sql/engine.ts';
import { loadIntegrity } from '../../src/stores/sql/row-integrity-state.ts';
import { createStore } from '../../src/stores/store.ts';
import { tables } from '../support/migrated.ts';
import { disarm } from './audit-log.ts';
import { anna, furnish, runText, sampleDetail, sqlText, vault } from './samples.ts';
import type { EngineFactory } from './store.ts';

const clock = { now: () => 1_700_000_000_000 };

/** A gateway process. `isProtected`: control without what lies outside of the log. */
async function startProcess(engine: Engine, { isProtected = true, name = 'host 1' } = {}) {
  const integrity = new RowIntegrity();
  if (isProtected) await loadIntegrity(engine, vault, integrity, { create: true });
  const log = new StoredAuditLog({ engine, vault, clock, process: name, tables });
  integrity.pin(log.pin);
  return { log, store: createStore(engine, { shared: [integrity] }) };
}

type Process = Awaited<ReturnType<typeof startProcess>>;

function record({ log }: Process, ...subjects: readonly string[]) {
  return log.append(
    subjects.map((subject) => ({
      event: { kind: 'command', actor: { type: 'user', name: 'anna' }, subject },
      recordedAt: clock.now(),
      once: false,
    })),
  );
}

function saveDetail({ store }: Process, reference: string) {
  return store.write(async (tx) => {
    await tx.repository(DetailRepository).saveShopper(anna, { createdAt: 1 });
    await tx.repository(DetailRepository).saveDetail(anna, sampleDetail(reference));
  });
}

const logTables = ['audit_entry', 'audit_chain'] as const;
/** The functions of PostgreSQL are still there, and so are the tables of copies. */
const isOfLog = (text: string) => !/audit_copy|^create function/.test(text);
const integrityColumns = 'tenant, id, key_id, data_key, sealed_state, audit_anchor';
const save = (at: string) => [
  ...logTables.map((table) => `create table ${table}_${at} as select * from ${table}`),
  `create table row_integrity_${at} as select ${integrityColumns} from row_integrity`,
];
const remove = logTables.map((table) => `delete from ${table}`);
const putBack = (at: string) => [
  ...remove,
  ...logTables.map((table) => `insert into ${table} select * from ${table}_${at}`),
];
const putAnchorBack = (at: string) =>
  `update row_integrity set audit_anchor = (select audit_anchor from row_integrity_${at})`;
const removeAnchor = 'update row_integrity set audit_anchor = null';

const broken = 'a process found the end of the chain forged, or set back';
const forged = 'the end of the chain is forged';
const pinned = 'rows of stored_detail were signed when the log had another entry';

interface Attack {
  readonly texts: (dialect: Engine['dialect']) => readonly string[];
  /** What is found at once, and after a process has recorded more. */
  readonly atOnce: readonly string[];
  readonly later: readonly string[];
  /** Whether it is found without what lies outside of the log, too. */
  readonly isFoundInLog?: true;
}

/** A detail was stored after the fourth entry; the log was saved after the first, the third and the sixth. There are eight. */
const attacks: Readonly<Record<string, Attack>> = {
  'the whole log is removed': {
    texts: () => remove,
    atOnce: ['the end of the chain is missing', pinned],
    later: [broken, pinned],
  },
  'the whole log is removed, with its anchor': {
    texts: () => [...remove, removeAnchor],
    atOnce: [pinned],
    later: [pinned],
  },
  'the whole log is removed, with the keys of row MACs': {
    texts: () => [...remove, 'delete from row_integrity'],
    atOnce: [pinned],
    later: [pinned],
  },
  'the tables are dropped, and made anew': {
    texts: (dialect) => [
      ...logTables.map((table) => `drop table ${table}`),
      ...migrationStatements({ name: 'audit', tables: auditTables }, 1, dialect).filter(isOfLog),
    ],
    atOnce: ['the end of the chain is missing', pinned],
    later: [broken, pinned],
  },
  'the entries are removed, and the first end is put back': {
    texts: () => [
      'delete from audit_entry where sequence > 1',
      ...putBack('first').filter((text) => /chain/.test(text)),
    ],
    atOnce: [forged, pinned],
    later: [broken, pinned],
  },
  'the last entries are removed, and an earlier end is put back': {
    texts: () => [
      'delete from audit_entry where sequence > 6',
      ...putBack('sixth').filter((text) => /chain/.test(text)),
    ],
    atOnce: [forged],
    later: [broken],
  },
  'an older copy of both tables is put back': {
    texts: () => putBack('third'),
    atOnce: [forged, pinned],
    later: [broken, pinned],
  },
  'an older copy of both tables is put back, with the anchor of then': {
    texts: () => [...putBack('third'), putAnchorBack('third')],
    atOnce: [pinned],
    later: [pinned],
  },
  'an older copy of both tables is put back, without an anchor': {
    texts: () => [...putBack('sixth'), removeAnchor],
    atOnce: [forged],
    later: [broken],
  },
  'the anchor is removed': { texts: () => [removeAnchor], atOnce: [forged], later: [broken] },
  'the end is replaced by that of a log with another key': {
    texts: () => ['delete from audit_chain', 'insert into audit_chain select * from foreign_chain'],
    atOnce: [forged],
    later: [broken],
    isFoundInLog: true,
  },
  'the log is replaced by that of another store': {
    texts: () => [
      ...remove,
      'insert into audit_entry select * from foreign_entry',
      'insert into audit_chain select * from foreign_chain',
    ],
    atOnce: [forged, pinned],
    later: [broken, pinned],
  },
  'the log is replaced by that of another store, without an anchor': {
    texts: () => [
      ...remove,
      'insert into audit_entry select * from foreign_entry',
      'insert into audit_chain select * from foreign_chain',
      removeAnchor,
    ],
    atOnce: [pinned],
    later: [pinned],
  },
};

/** One with each means: rows and tables that are gone, and rows that come back. */
const fewAttacks: readonly string[] = [
  'the whole log is removed, with its anchor',
  'the tables are dropped, and made anew',
  'an older copy of both tables is put back, with the anchor of then',
  'the log is replaced by that of another store',
];

export function describeRemovedAuditLog({ open, dispose, hasFewCases = false }: EngineFactory): void {
  describe('audit log that was removed', () => {
    let engine: Engine;
    beforeEach(async () => {
      engine = await open();
      await furnish(engine);
    });
    afterEach(() => dispose(engine));

    const run = async (texts: readonly string[]) => {
      for (const text of texts) await runText(engine, text);
    };
    const faults = async () => {
      const verified = await new StoredAuditLog({ engine, vault, clock, process: 'host 9', tables }).verify();
      return (verified?.faults ?? []).map(({ message }) => message);
    };
    /** A log of eight entries, with a log of another store next to it. */
    const fill = async (isProtected = true): Promise<Process> => {
      const process = await startProcess(engine, { isProtected });
      await record(process, 'one');
      await run(save('first'));
      await record(process, 'two', 'three');
      await run(save('third'));
      await record(process, 'four');
      await saveDetail(process, 'A');
      await record(process, 'five', 'six');
      await run(save('sixth'));
      await record(process, 'seven', 'eight');
      await takeForeignLog();
      await run(disarm[engine.dialect]);
      return process;
    };
    const takeForeignLog = async () => {
      const other = await open();
      await record(await startProcess(other, { isProtected: false }), 'other', 'more', 'of', 'it', 'and', 'more');
      for (const table of logTables) {
        const name = table.replace('audit', 'foreign');
        await runText(engine, `create table ${name} as select * from ${table} where 1 = 0`);
        const rows = await other.read((session) => session.query(sqlText<Row>(`select * from ${table}`), []));
        for (const row of rows) {
          const columns = Object.keys(row);
          const values = columns.map((_, at) => `$${at + 1}`).join(', ');
          const text = `insert into ${name} (${columns.join(', ')}) values (${values})`;
          await engine.write((session) => session.execute(sqlText(text), Object.values(row)));
        }
      }
      await dispose(other);
    };

    test('control: nothing is found where nothing was removed, and after later entries and rows', async () => {
      await fill();
      expect(await faults()).toEqual([]);
      const next = await startProcess(engine, { name: 'host 2' });
      await record(next, 'nine');
      await saveDetail(next, 'B');
      expect(await faults()).toEqual([]);
    });

    const tried = Object.entries(attacks).filter(([name]) => !hasFewCases || fewAttacks.includes(name));
    test.each(tried)('finds that %s', async (_, { texts, atOnce, later }) => {
      await fill();
      await run(texts(engine.dialect));
      expect(await faults()).toEqual(expect.arrayContaining([...atOnce]));
      const next = await startProcess(engine, { name: 'host 2' });
      await record(next, 'nine');
      await saveDetail(next, 'B');
      await record(next, 'ten');
      expect(await faults()).toEqual(expect.arrayContaining([...later]));
    });

    // An anchor and pins are all that these attacks concern.
    const unprotected = tried.filter(([name, { isFoundInLog }]) => !isFoundInLog && !/anchor$/.test(name));
    test.each(unprotected)('control: without anchor and pins, nothing shows that %s', async (_, { texts }) => {
      await fill(false);
      await run(texts(engine.dialect));
      expect(await faults()).toEqual([]);
      await record(await startProcess(engine, { isProtected: false, name: 'host 2' }), 'nine');
      expect(await faults()).toEqual([]);
    });

    test('a log that is set back with its anchor, to after the last signed row, shows in a running process only', async () => {
      const running = await fill();
      await run([...putBack('sixth'), putAnchorBack('sixth')]);
      expect(await faults()).toEqual([]);
      await running.log.follow();
      expect(await faults()).toContain(broken);
    });

    test.each<[string, (log: AuditLog) => Promise<unknown>]>([
      ['removed', () => run([...remove, removeAnchor])],
      ['set back', () => run([...putBack('third'), putAnchorBack('third')])],
      [
        'set back and continued by another process',
        async () => {
          await run([...putBack('third'), putAnchorBack('third')]);
          const other = await startProcess(engine, { name: 'host 2' });
          await record(other, ...Array<string>(20).fill('more'));
        },
      ],
    ])('a process that records nothing finds that the log was %s', async (_, attack) => {
      const { log } = await fill();
      const follower = new StoredAuditLog({ engine, vault, clock, process: 'host 3', tables });
      await follower.follow();
      await attack(log);
      await follower.follow();
      expect(await faults()).toContain(broken);
    });

    test('entries whose time was over may be gone, with rows that were signed before', async () => {
      const process = await fill();
      expect(await process.log.removeBefore(clock.now() + 1)).toBe(8);
      expect(await faults()).toEqual([]);
      await record(await startProcess(engine, { name: 'host 2' }), 'nine');
      expect(await faults()).toEqual([]);
    });
  });
}
