/** The child of the power-cut test: prints the entries that it finds, then writes further ones until it dies. */
import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { type Engine, statement } from '../../../src/stores/sql/engine.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';
import { openParts } from '../../../src/stores/sqlite/open.ts';

/** `write`: the production code. The defects: no fsync at commits, an answer before the commit, no fsync at the opening. */
export type Mode = 'write' | 'without fsync' | 'early answer' | 'unflushed opening' | 'failing fsync';

const [dataDir, mode, start, failingFile] = process.argv.slice(2) as [string, Mode, string, string | undefined];
/** So many wait at once, so that groups have several members. */
const writers = 8;
/** The child ends by itself after so many entries. */
const entriesMax = 400;
/** A small one, so that checkpoints happen between and during the commits. */
const checkpointPages = 8;

/** An entry is two rows, so that half a transaction shows. */
const create = statement('create', 'create table if not exists entry (n integer, part integer, primary key (n, part))');
const insert = statement('insert', 'insert into entry (n, part) values ($1, $2)');
const list = 'select n from entry group by n having count(*) = 2';

const print = (line: string) => writeSync(1, `${line}\n`);

if (mode === 'unflushed opening') {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
  for (const { n } of database.prepare(list).all()) print(`found ${n}`);
  process.kill(process.pid, 'SIGKILL');
}
const parts = openParts({ dataDir, exclusive: true });
parts.writer.run(`pragma wal_autocheckpoint = ${checkpointPages}`);
if (mode === 'without fsync') parts.writer.run('pragma synchronous = off');
const engine = new SqliteEngine(parts);
await engine.write((session) => session.execute(create, []));
for (const { n } of await engine.read((session) => session.query(statement<{ readonly n: number }>('list', list), [])))
  print(`found ${n}`);
if (mode === 'failing fsync') await failAnFsync(engine);
else await Promise.all(Array.from({ length: writers }, (_, index) => writeOn(index)));
process.kill(process.pid, 'SIGKILL');

async function writeOn(index: number): Promise<void> {
  for (let n = Number(start) + index; n < Number(start) + entriesMax; n += writers) {
    const refused = engine.write(async (session) => {
      await session.execute(insert, [n + 0.5, 1]);
      throw new Error('refused');
    });
    const written = writeEntry(n).then(() => {
      if (mode !== 'early answer') print(`answered ${n}`);
    });
    await Promise.allSettled([refused, written]);
  }
}

function writeEntry(n: number): Promise<void> {
  return engine.write(async (session) => {
    await session.execute(insert, [n, 1]);
    await session.execute(insert, [n, 2]);
    if (mode === 'early answer') print(`answered ${n}`);
  });
}

/** Prints how writes end while the fsync fails, and after it works again. */
async function failAnFsync(engine: Engine): Promise<void> {
  const outcome = (written: Promise<unknown>) =>
    written.then(
      () => 'written',
      (thrown) => thrown.name,
    );
  const at = Number(start);
  print(await outcome(writeEntry(at)));
  writeFileSync(failingFile!, '');
  print((await Promise.all([outcome(writeEntry(at + 1)), outcome(writeEntry(at + 2))])).join());
  rmSync(failingFile!);
  await setTimeout(10);
  print(await outcome(writeEntry(at + 3)));
  print(await outcome(engine.read(async () => {})));
}
