/** Locks of log-ins on a port: behind a trusted proxy the address is the forwarded one, else that of the connection. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { orders } from '../../examples/orders/orders.ts';
import { createLimits } from '../../src/access/limits/limits.ts';
import { clock } from '../../src/core/lib/clock.ts';
import { createGateway } from '../../src/program/api/index.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const end of ends.splice(0).reverse()) await end();
});

const open = async (settings: Readonly<Record<string, string>>) => {
  const gateway = await createGateway({
    services: [orders],
    settings: { LOG_LEVEL: 'silent', ...settings },
  });
  ends.push(() => gateway.close());
  const { secret } = await gateway.credentials.addCredential({
    tenant: 'acme',
    kind: 'apiKey',
    roles: ['orders'],
    grants: { shop: ['amsterdam'] },
  });
  const url = await gateway.listen();
  const statusOf = async (key: string, forwardedFor: string): Promise<number> => {
    const response = await fetch(`${url}/orders/v1/getOrder`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
      body: JSON.stringify({ shop: 'amsterdam', number: 'none' }),
    });
    await response.text();
    return response.status;
  };
  const guess = async (address: string): Promise<void> => {
    for (let at = 0; at < 20; at++) await statusOf(`guess ${at}`, address);
  };
  return { secret, statusOf, guess };
};

test('behind a trusted proxy the forwarded address is locked, and no other one', async () => {
  const { secret, statusOf, guess } = await open({ TRUSTED_PROXIES: '127.0.0.1', LOGIN_FAILURES_PER_ADDRESS_MAX: '5' });
  await guess('203.0.113.9');
  expect(await statusOf(secret, '203.0.113.9')).toBe(429);
  expect(await statusOf(secret, '192.0.2.1')).not.toBe(429);
});

test('the port that some proxies add to the forwarded address makes no other address of it', async () => {
  const { secret, statusOf } = await open({ TRUSTED_PROXIES: '127.0.0.1', LOGIN_FAILURES_PER_ADDRESS_MAX: '5' });
  for (const port of [40_001, 40_002, 40_003]) await statusOf(`with port ${port}`, `203.0.113.9:${port}`);
  for (const port of [1, 2]) await statusOf(`with brackets ${port}`, `[::ffff:203.0.113.9]:${port}`);
  expect(await statusOf(secret, '203.0.113.9:40004')).toBe(429);
  expect(await statusOf(secret, '203.0.113.10:40004')).not.toBe(429);
  for (const port of [1, 2, 3, 4, 5]) await statusOf(`in IPv6 ${port}`, `[2001:db8::1]:${port}`);
  expect(await statusOf('the next guess', '2001:db8::1')).toBe(429);
});

test('the header of a caller that is no proxy chooses no address', async () => {
  const { secret, statusOf, guess } = await open({ LOGIN_FAILURES_PER_ADDRESS_MAX: '5' });
  for (const address of ['203.0.113.1', '203.0.113.2']) await guess(address);
  expect(await statusOf(secret, '192.0.2.1')).toBe(429);
});

test('a gateway in memory has no limit by default', async () => {
  const { secret, statusOf, guess } = await open({});
  await guess('203.0.113.9');
  expect(await statusOf(secret, '203.0.113.9')).not.toBe(429);
});

test('a request without a connection is locked as well', async () => {
  const gateway = await createGateway({
    services: [orders],
    settings: { LOG_LEVEL: 'silent', LOGIN_FAILURES_PER_ADDRESS_MAX: '2' },
  });
  ends.push(() => gateway.close());
  const statusOf = async (key: string): Promise<number> => {
    const response = await gateway.fetch(
      new Request('http://gateway/orders/v1/getOrder', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ shop: 'amsterdam', number: 'none' }),
      }),
    );
    return response.status;
  };
  expect([await statusOf('one'), await statusOf('two'), await statusOf('three')]).toEqual([401, 401, 429]);
});

describe('a clock of the machine that is set', () => {
  const dayMs = 86_400_000;
  const setClock = (byMs: number): void => {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
  };

  test.each([-dayMs, dayMs])('by %d ms ends no lock', async (byMs) => {
    const { secret, statusOf } = await open({ LOGIN_FAILURES_PER_ADDRESS_MAX: '1' });
    await statusOf('guess', '203.0.113.9');
    setClock(byMs);
    expect(await statusOf(secret, '203.0.113.9')).toBe(429);
  });

  test('control: it ends a lock that is measured by it', async () => {
    const limits = createLimits(clock, (text) => text);
    const quota = limits.quota({ name: 'tries', max: 1, windowMs: 60_000 });
    void quota.count('a');
    setClock(dayMs);
    expect(quota.blockedMs('a')).toBe(0);
  });
});
