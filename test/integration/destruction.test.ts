/** What retention destroys is in no file of the embedded store: neither what was sealed nor the key that opens it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { applyRetention, retentionRules } from '../../src/stores/retention.ts';
import { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { openParts } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
import { migrate, tables } from '../support/migrated.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { anna, furnish, sampleDetail } from './samples.ts';

const now = 40 * 86_400_000;
const detailsMax = 300;

/** Returns how many of the sealed texts of destroyed and of other details the files hold, before and after. */
async function destroy(isSecure: boolean) {
  const folder = tempFolder();
  const parts = openParts({ dataDir: folder.path, exclusive: true });
  if (!isSecure) parts.writer.run('pragma secure_delete = off');
  const engine = new SqliteEngine(parts);
  try {
    await migrate(engine);
    await furnish(engine);
    const store = createStore(engine);
    const destroyed: string[] = [];
    const others: string[] = [];
    await store.write(async (tx) => {
      const repository = tx.repository(DetailRepository);
      await repository.saveShopper(anna, { createdAt: 1 });
      for (let at = 0; at < detailsMax; at += 1) {
        const detail = { ...sampleDetail(`D${at}`), fingerprint: `F${at}` };
        await repository.saveDetail(anna, detail);
        const { dataKey, number, payload } = detail.sealed;
        const texts = [dataKey, number, payload].filter((text) => text !== undefined);
        if (at % 2 === 0) {
          await repository.disableDetail(anna, detail.recurringDetailReference, 1);
          destroyed.push(...texts);
        } else others.push(...texts);
      }
    });
    const count = () => {
      const files = readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name), 'latin1'));
      const found = (texts: readonly string[]) =>
        texts.filter((text) => files.some((file) => file.includes(text))).length;
      return { destroyed: found(destroyed), others: found(others) };
    };
    const before = count();
    await applyRetention({
      store,
      clock: { now: () => now },
      rules: retentionRules(tables, ({ name }) => (name === 'stored_detail' ? 86_400_000 : undefined)),
      owner: 'one',
      pause: async () => {},
      isStopped: () => false,
    });
    expect(await engine.scrub()).toBe(true);
    const after = count();
    await engine.shrink({ keepsSpare: false, pause: async () => {} });
    return { before, after, afterShrink: count(), destroyed: destroyed.length, others: others.length };
  } finally {
    await engine.close();
    folder.discard();
  }
}

test('a destroyed number and its data key are in no file, and others are', async () => {
  const { before, after, afterShrink, destroyed, others } = await destroy(true);
  expect(before).toEqual({ destroyed, others });
  expect(after).toEqual({ destroyed: 0, others });
  expect(afterShrink).toEqual(after);
});

test('control: without overwriting, they stay in the file', async () => {
  const { after, others } = await destroy(false);
  expect(after.others).toBe(others);
  expect(after.destroyed).toBeGreaterThan(0);
});
