/** Tests that what a request needs is young garbage once it is answered: what survives minor collections costs a third of the CPU time. */
import { afterAll, expect, test } from '@jest/globals';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

/**
 * Run in the server before it starts: at a signal it collects young garbage, and prints how many bytes are in use among old objects. At
 * the first signal it collects all garbage, so that V8 does not soon.
 */
const collecting = `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let isFirst = true;
  process.on('SIGUSR2', () => {
    if (isFirst) collect();
    isFirst = false;
    for (let times = 0; times < 2; times += 1) collect({ type: 'minor' });
    const old = getHeapSpaceStatistics().find((each) => each.space_name === 'old_space');
    process.stderr.write('old objects: ' + old.space_used_size + '\\n');
  });`;

/** The fault: V8 allocates a function that is assigned to a property where it is written among old objects. */
const holdingRequests = `
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('http.server.request.start', ({ request }) => {
    request.held = () => request;
  });`;

const requests = 200;
/** Text for the lists of the console is among them. All of a request is some 6,000 bytes, and what holds it alone 2,000. */
const bytesMax = 1_500;

async function bytesThatStay(code: string): Promise<number> {
  const server = await startServer('demo', folder.path, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
    TRAFFIC: 'watched',
  });
  try {
    await list(server, 1_000);
    const before = await oldBytes(server);
    await list(server, requests);
    return ((await oldBytes(server)) - before) / requests;
  } finally {
    await server.stop();
  }
}

/** One after the other, so that none is under way when its garbage is collected. */
async function list({ callers }: Server, times: number): Promise<void> {
  for (let each = 0; each < times; each += 1) {
    const response = await fetch(`${callers}/pal/servlet/Recurring/v25/listRecurringDetails`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'demo-api-key' },
      body: '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-5"}',
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  }
}

async function oldBytes(server: Server): Promise<number> {
  const printed = () => [...server.output().matchAll(/old objects: (\d+)\n/g)];
  const before = printed().length;
  process.kill(server.pid, 'SIGUSR2');
  await until('a collection', () => printed().length > before);
  return Number(printed().at(-1)![1]);
}

test('an answered request is young garbage', async () => {
  expect(await bytesThatStay(collecting)).toBeLessThan(bytesMax);
});

test('the test sees requests that are held', async () => {
  expect(await bytesThatStay(collecting + holdingRequests)).toBeGreaterThan(bytesMax);
});
