/** Tests that refused certificates are reported, and counted towards no lock. */
import { expect, test } from '@jest/globals';
import { createAuthenticator } from '../../src/gateway/authenticate.ts';
import { createLoginGuard, type LoginRefused } from '../../src/gateway/login-guard.ts';
import { createLimits } from '../../src/limits/limits.ts';
import { LoginLimits } from '../../src/limits/login-limits.ts';
import type { Credentials } from '../../src/store/sql/credentials.ts';

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
  const guard = createLoginGuard(new LoginLimits(settings, limits, clock), (refused) => reported.push(refused));
  const credentials = { verify: async () => ({ refusal: 'expired', credential: 'partner', tenant: 'Demo' }) };
  const { authenticate } = createAuthenticator(credentials as unknown as Credentials, guard);
  const request = { headers: {}, sender: { address: '192.0.2.1', scheme: 'https' }, certificate: 'ab'.repeat(32) };
  for (let time = 0; time < 5; time += 1)
    await expect(authenticate(request as never)).rejects.toMatchObject({ problem: 'unauthorized', reason: 'expired' });
  const expected = { reason: 'expired', nameHash: undefined, address: '192.0.2.1', credential: 'partner' };
  expect(reported).toEqual(Array.from({ length: 5 }, () => expected));
});
