/** Passing measurement. */
import { randomBytes } from 'node:crypto';
import { test } from '@jest/globals';
import { openPostgres } from '../src/store/postgres/open.ts';
import { createDetailStore } from '../src/store/sql/details.ts';
import { anna, furnish, sampleDetail } from './suite/samples.ts';
import { startPostgres } from './support/postgres.ts';

test('perf', async () => {
  const server = await startPostgres({ durable: true });
  const out: string[] = [];
  for (const prefill of [0, 3000])
  for (const q of ['', '?options=-c%20enable_seqscan%3Doff']) {
    const url = await server.createDatabase();
    const engine = openPostgres({ url: url + q, poolMax: 10 });
    await furnish(engine);
    const store = createDetailStore(engine);
    const put = async (id: string, counted: () => void = () => {}) => store.write(async (unit) => { counted(); const key = { ...anna, shopperReference: id }; await unit.findShopper(key); await unit.saveShopper(key, { createdAt: 1 }); await unit.saveDetail(key, sampleDetail(id)) });
    for (let n = 0; n < prefill; n += 100)
      await store.write(async (unit) => { for (let i = 0; i < 100; i++) { const id = randomBytes(8).toString('hex'); const key = { ...anna, shopperReference: id }; await unit.saveShopper(key, { createdAt: 1 }); await unit.saveDetail(key, sampleDetail(id)); } });
    if (prefill) await server.ask('analyze', [], url);
    for (const width of [1, 2, 4, 10]) {
      const n = 400;
      let runs = 0, next = 0;
      const t = performance.now();
      await Promise.all(Array.from({ length: width }, async () => { while (next++ < n) await put(randomBytes(8).toString('hex'), () => { runs++; }); }));
      out.push(`prefill ${prefill} ${q} width ${width}: ${((performance.now() - t) / n).toFixed(2)} ms each, runs ${runs}`);
    }
    await engine.close();
  }
  console.log(out.join('\n'));
  await server.discard();
}, 120000);
