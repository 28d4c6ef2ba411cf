/** Tests that refused certificates are reported, and counted towards no lock, and what an accepted log-in costs. */
import { expect, test } from '@jest/globals';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import type { Credentials } from '../../src/access/credentials/credentials.ts';
import { createLimits } from '../../src/access/limits/limits.ts';
import { LoginLimits } from '../../src/access/limits/login-limits.ts';
import { createLoginGuard, type LoginRefused } from '../../src/access/login-guard.ts';

const settings = {
  loginFailuresMax: 2,
  loginFailuresPerAddressMax: 2,
  loginFailuresPerNameMax: 2,
  loginLockMs: 60_000,
};

test('a refused certificate is reported each time, with its reason and address', async () => {
  const clock = { now: () => 1_000 };
  const reported: LoginRefused[] = [];
  const limits = createLimits(clock, (text) => text);
  const guard = createLoginGuard(new LoginLimits(settings, limits), (refused) => reported.push(refused));
  const credentials = { verify: async () => ({ refusal: 'expired', credential: 'partner', tenant: 'Demo' }) };
  const { authenticate } = createAuthenticator(credentials as unknown as Credentials, guard);
  const request = { headers: {}, sender: { address: '192.0.2.1', scheme: 'https' }, certificate: 'ab'.repeat(32) };
  for (let time = 0; time < 5; time += 1)
    await expect(authenticate(request as never)).rejects.toMatchObject({ problem: 'unauthorized', reason: 'expired' });
  const expected = { reason: 'expired', nameHash: undefined, address: '192.0.2.1', credential: 'partner' };
  expect(reported).toEqual(Array.from({ length: 5 }, () => expected));
});

test('a caller with several addresses is hashed once for each of them in a second', () => {
  const clock = { now: () => 1_000 };
  const hashed: string[] = [];
  const limits = createLimits(clock, (text) => {
    hashed.push(text);
    return text;
  });
  const logins = new LoginLimits(settings, limits);
  const addresses = ['192.0.2.1', '192.0.2.2', '198.51.100.3'];
  for (let request = 0; request < 300; request += 1)
    logins.accepted({ name: 'ws', secret: 'right', address: addresses[request % addresses.length] });
  expect(hashed).toHaveLength(addresses.length);
});

test('two names with the same secret at one address are both remembered', () => {
  const clock = { now: () => 1_000 };
  const limits = createLimits(clock, (text) => text);
  const logins = new LoginLimits(settings, limits);
  const address = '192.0.2.1';
  for (const name of ['first', 'second']) logins.accepted({ name, secret: 'right', address });
  for (const secret of ['a', 'b', 'c']) void logins.countFailure({ name: 'stranger', secret, address });
  expect(logins.lockedMs({ name: 'stranger', secret: 'd', address })).toBeGreaterThan(0);
  for (const name of ['first', 'second']) expect(logins.lockedMs({ name, secret: 'right', address })).toBe(0);
});
