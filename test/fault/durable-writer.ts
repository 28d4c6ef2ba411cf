/** The child of the durability test: writes details until it is killed, and prints each one. */
import { writeSync } from 'node:fs';
import { DetailRepository } from '../../src/payments/recurring/store/repository.ts';
import { openSqlite } from '../../src/stores/sqlite/open.ts';
import { createStore } from '../../src/stores/store.ts';
import { anna, furnish, sampleDetail } from '../integration/samples.ts';

const [dataDir, start, acknowledged] = process.argv.slice(2) as [string, string, 'after' | 'before'];
/** Concurrent writers, so that the queue of transactions is never empty. */
const writers = 4;

const engine = openSqlite({ dataDir, exclusive: true });
await furnish(engine);
const store = createStore(engine);
let next = Number(start);

/** Prints a whole line: the parent ignores a line that was cut off. */
const acknowledge = (shopper: number) => writeSync(1, `${shopper}\n`);

async function writeOn(): Promise<never> {
  for (;;) {
    const shopper = next++;
    const key = { ...anna, shopperReference: `shopper-${shopper}` };
    if (acknowledged === 'before') acknowledge(shopper);
    await store.write(async (transaction) => {
      await transaction.repository(DetailRepository).saveShopper(key, { createdAt: shopper });
      await transaction.repository(DetailRepository).saveDetail(key, sampleDetail(`D${shopper}`));
    });
    if (acknowledged === 'after') acknowledge(shopper);
  }
}

await Promise.all(Array.from({ length: writers }, writeOn));
