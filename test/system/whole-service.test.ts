/** The example that uses every contribution of a service: what a server makes of each. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Looks, type Shared, voucherService } from '../../examples/vouchers/vouchers.ts';
import type { Backend } from '../../src/backend/backend.ts';
import { credentialRulesOf, ownersOf } from '../../src/backend/compose-services.ts';
import { erase } from '../../src/backend/erase.ts';
import { configuredRetention } from '../../src/backend/retention.ts';
import { readConfig } from '../../src/config/config.ts';
import { type RunningGateway, startGateway } from '../../src/program/app/create-gateway.ts';
import { until } from '../support/until.ts';

const callers = [{ tenant: 'Books', apiKey: 'secret', grants: { shop: ['amsterdam'] } }];
const settings = { LOG_LEVEL: 'silent', VOUCHERS_PER_MINUTE_MAX: '3' };

let gateway: RunningGateway;
let backend: Backend;
let shared: Shared;
beforeEach(async () => {
  ({ gateway, backend } = await startGateway({ services: [voucherService], callers, settings }));
  shared = voucherService.sharedIn(backend);
});
afterEach(() => gateway.close());

const ask = async (operation: string, input: object, version = 2) => {
  const answer = await gateway.fetch(
    new Request(`http://gateway/vouchers/v${version}/${operation}`, {
      method: 'POST',
      headers: { 'x-api-key': 'secret', 'content-type': 'application/json' },
      body: JSON.stringify(input),
    }),
  );
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const voucher = { shop: 'amsterdam', code: 'GIFT-1', amount: 500, holder: 'Anna' };
const sight = { shop: 'amsterdam', code: 'GIFT-1' };

test('operations in each version, roles, grants, shared objects and jobs', async () => {
  expect(shared.prepared.at).toBeGreaterThan(0);
  const { amount, ...others } = voucher;
  expect((await ask('issueVoucher', { ...others, cents: amount }, 1)).body).toEqual({ cents: 500 });
  expect((await ask('lookAtVoucher', sight)).body).toEqual({ amount: 500, holder: 'Anna' });
  expect((await ask('redeemVoucher', { ...sight, amount: 600 })).status).toBe(422);
  expect((await ask('redeemVoucher', { ...sight, amount: 100 })).body).toEqual({ amount: 400 });
  expect(await backend.findWrongRows()).toMatchObject({ rows: 1, wrong: [] });
  expect((await ask('lookAtVoucher', { ...sight, shop: 'berlin' })).status).toBe(403);
  expect(await backend.store.read(async (tx) => tx.shared(Looks)?.total)).toBe(1);
  await until('a greeting', () => shared.greeted.length === 1);
  expect(shared.greeted).toEqual(['Anna']);
});

test('its quota', async () => {
  const codes = ['GIFT-1', 'GIFT-2', 'GIFT-3', 'GIFT-4'];
  const statuses = [];
  for (const code of codes) statuses.push((await ask('issueVoucher', { ...voucher, code })).status);
  expect(statuses).toEqual([200, 200, 200, 422]);
});

test('a secret in another text is refused', async () => {
  expect(await ask('issueVoucher', { ...voucher, holder: 'GIFT-1' })).toMatchObject({ status: 422 });
});

test('tables: MACs, keys, fingerprints, retention and erasure', async () => {
  await ask('issueVoucher', voucher);
  expect(await backend.findWrongRows()).toMatchObject({ rows: 1, wrong: [] });
  expect(await backend.services.keysOpenStoredData()).toBe(true);
  expect(await backend.indexRotation.findWrongFingerprints(10)).toEqual([]);
  const group = voucherService.definition.settings!;
  const config = readConfig('production', { VOUCHER_DAYS_MAX: '2' }, [group]);
  const rules = configuredRetention(config, voucherService.tables.tables);
  expect(rules).toMatchObject([{ subject: 'voucher', ms: 172_800_000 }]);
  const key = { tenant: 'Books', holder: 'Anna' };
  const options = { actor: { type: 'user', name: 'me' }, isDryRun: false } as const;
  const { erased } = await erase(backend, voucherService.definition.erasure!, key, options);
  expect(erased).toEqual({ vouchers: 1, holders: 1, callerRequests: 0 });
});

test('settings that do not fit, or are unsafe to serve', () => {
  const group = voucherService.definition.settings!;
  expect(() => readConfig('production', { VOUCHER_DAYS_MAX: '1' }, [group])).toThrow(/more than a day/);
  expect(() => readConfig('production', { VOUCHERS_X: '1' }, [group])).toThrow(/VOUCHERS_X is not a setting/);
});

test('events, importers, panels, tables of data, and what credentials may be', async () => {
  const { services } = backend;
  const data = { voucherOf: 'Anna', shop: 'amsterdam', fingerprint: 'f' };
  const payload = JSON.stringify({ eventId: 'e', requestReference: 'r', at: 1, ...data });
  expect(services.summarizeEvent(payload)).toEqual({ type: 'voucher.issued', at: 1, owner: { shop: 'amsterdam' } });
  expect(await services.completeEvent(data)).toMatchObject({ ...data, sentAt: expect.any(Number) });
  expect(services.webhookFormats.all.map(({ name }) => name)).toEqual(['vouchers']);
  const [importer] = services.importers;
  await backend.store.write((tx) => importer!.create().save({ tenant: 'Books', holder: 'Ben' }, tx, 1));
  await ask('issueVoucher', voucher);
  expect(await services.panels[0]?.read()).toEqual([{ name: 'Vouchers', value: '1' }]);
  expect((await services.dataTables[0]?.read({}))?.rows).toMatchObject([{ cells: ['amsterdam', '500'] }]);
  expect(credentialRulesOf([voucherService])).toMatchObject({ tenantNoun: 'chain', grants: [{ name: 'shop' }] });
  expect(ownersOf([voucherService]).map(({ name }) => name)).toEqual(['engine', 'Vouchers']);
});
