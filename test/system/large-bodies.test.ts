/** Large bodies are bounded together, in front of a handler that does not end. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { binary, object, operation, optional } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { madeUpService } from '../support/made-up-service.ts';
import { until } from '../support/until.ts';

const data = optional(binary({ max: 1_000_000, example: 'AA==' }), '');
const parts = { role: 'files', problems: [], doc: '', effect: 'reads' } as const;
const keep = operation({
  ...parts,
  name: 'keep',
  input: object('KeepRequest', { data }),
  output: object('KeepResult', {}),
});
const contract = madeUpService('Files', keep);

let isHeld = true;
let started = 0;
const handlers = {
  async keep() {
    started += 1;
    while (isHeld) await new Promise((resolve) => setTimeout(resolve, 5));
    return {};
  },
};

const open = (LARGE_BODIES_BYTES_MAX: string): Promise<RunningGateway> =>
  createGateway({
    services: [contract.with(handlers)],
    settings: { LOG_LEVEL: 'silent', BODY_BYTES_MAX: '1000000', LARGE_BODIES_BYTES_MAX },
  });

let bounded: RunningGateway;
let control: RunningGateway;
beforeAll(async () => {
  bounded = await open('200000');
  control = await open('1000000');
});
afterAll(async () => {
  await bounded.close();
  await control.close();
});

async function callerOf(gateway: RunningGateway) {
  const { secret } = await gateway.credentials.addCredential({
    tenant: 't',
    kind: 'apiKey',
    roles: ['files'],
    grants: {},
  });
  const { origin } = await gateway.listen();
  return async (bytes: number) => {
    const response = await fetch(`${origin}/files/v1/keep`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret },
      body: JSON.stringify({ data: Buffer.alloc(bytes).toString('base64') }),
    });
    await response.arrayBuffer();
    return [response.status, response.headers.get('retry-after')];
  };
}

test('beyond the bound a large body is refused, a small one is not, and an answered one counts no more', async () => {
  const call = await callerOf(bounded);
  started = 0;
  isHeld = true;
  const first = call(90_000);
  await until('the handler', async () => started === 1);
  expect(await call(90_000)).toEqual([503, expect.any(String)]);
  const small = call(1_000);
  await until('the handler', async () => started === 2);
  isHeld = false;
  expect(await first).toEqual([200, null]);
  expect(await small).toEqual([200, null]);
  expect(await call(90_000)).toEqual([200, null]);
  // One that is larger than the bound is admitted alone.
  expect(await call(180_000)).toEqual([200, null]);
});

test('the control: with a larger bound both are handled at once', async () => {
  const call = await callerOf(control);
  started = 0;
  isHeld = true;
  const both = [call(90_000), call(90_000)];
  await until('both handlers', async () => started === 2);
  isHeld = false;
  expect(await Promise.all(both)).toEqual([
    [200, null],
    [200, null],
  ]);
});
