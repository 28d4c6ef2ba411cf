/** An erased shopper and the promise of exactly once: a retry gets its stored answer, and has no effect. */
import { afterEach, expect, test } from '@jest/globals';
import type { Backend } from '../../src/backend/backend.ts';
import { erase } from '../../src/backend/erase.ts';
import { maskSensitive } from '../../src/core/contract/redaction.ts';
import { idOf } from '../../src/insight/callers/caller-record.ts';
import { openRequest, sealRequest } from '../../src/insight/callers/last-request.ts';
import { shopperErasure } from '../../src/payments/recurring/erase-shopper.ts';
import { recurring } from '../../src/payments/recurring/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { builtIn } from '../../src/program/api/index.ts';
import { startGateway } from '../../src/program/app/create-gateway.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const key = { company: 'Acme', merchantAccount: 'AcmeWeb', shopperReference: 'anna' };
const actor = { type: 'user', name: 'test' } as const;

const open = async () => {
  const folder: TempFolder = tempFolder();
  ends.push(folder.discard);
  const started = await startGateway({ ...builtIn({ demoData: false }), store: { dataDir: folder.path } });
  ends.push(() => started.gateway.close());
  const backend = started.backend as Backend;
  await recurring.sharedIn(backend).registry.addMerchantAccount(key.company, key.merchantAccount);
  const grants = { merchantAccount: [key.merchantAccount] };
  const { secret } = await backend.registry.addCredential({
    tenant: key.company,
    kind: 'apiKey',
    roles: ['recurring'],
    grants,
  });
  const call = async (operation: string, body: object, idempotencyKey?: string) => {
    const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
    const response = await started.gateway.fetch(
      new Request(`http://gateway/pal/servlet/Recurring/v68/${operation}`, {
        method: 'POST',
        headers: { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
        body: JSON.stringify({ merchantAccount: key.merchantAccount, shopperReference: key.shopperReference, ...body }),
      }),
    );
    return {
      status: response.status,
      replayed: response.headers.get('idempotency-replayed'),
      body: await response.json(),
    };
  };
  return { backend, call, gateway: started.gateway };
};

const card = { card: { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna' } };
const stored = { ...card, recurring: { contract: 'RECURRING' } };

test('a retry of a request of an erased shopper is replayed, and stores nothing', async () => {
  const { backend, call } = await open();
  const first = await call('storeToken', stored, 'a-key-of-the-test-1');
  expect(first.status).toBe(200);
  expect(await erase(backend, shopperErasure, key, { actor, isDryRun: false })).toMatchObject({
    erased: { shoppers: 1, details: 1 },
    isScrubbed: true,
  });
  const retry = await call('storeToken', stored, 'a-key-of-the-test-1');
  expect({ status: retry.status, body: retry.body }).toEqual({ status: 200, body: first.body });
  expect(await call('listRecurringDetails', {})).toMatchObject({ status: 200, body: {} });
  expect(await erase(backend, shopperErasure, key, { actor, isDryRun: true })).toMatchObject({
    erased: { shoppers: 0, details: 0 },
  });
  // What the shopper had is unknown to other requests.
  expect((await call('disable', {})).status).toBe(422);
  // Another key is another request: the shopper is new.
  expect((await call('storeToken', stored, 'a-key-of-the-test-2')).body).not.toEqual(first.body);
});

test('control: with its record gone, the retry would store the card again', async () => {
  const { backend, call } = await open();
  const first = await call('storeToken', stored, 'a-key-of-the-test-1');
  await erase(backend, shopperErasure, key, { actor, isDryRun: false });
  await backend.store.write(async (tx) => {
    await tx.execute({ name: 'test-forget-records', text: 'delete from idempotency_record' }, []);
  });
  const retry = await call('storeToken', stored, 'a-key-of-the-test-1');
  expect(retry.body).not.toEqual(first.body);
  expect(await erase(backend, shopperErasure, key, { actor, isDryRun: true })).toMatchObject({
    erased: { details: 1 },
  });
});

test('a dry run counts the same and destroys nothing; the run is in the audit log without the reference', async () => {
  const { backend, call } = await open();
  await call('storeToken', stored);
  const counted = await erase(backend, shopperErasure, key, { actor, isDryRun: true });
  expect(await erase(backend, shopperErasure, key, { actor, isDryRun: true })).toEqual(counted);
  expect(await erase(backend, shopperErasure, key, { actor, isDryRun: false })).toEqual(counted);
  await backend.audit.flush();
  const entries = await backend.auditLog.list({ max: 10, kind: 'destroyed' });
  expect(entries.map(({ detail }) => (JSON.parse(detail) as { state: string }).state)).toEqual(['begun', 'done']);
  expect(JSON.stringify(entries)).not.toContain(key.shopperReference);
  expect(await backend.auditLog.verify()).toMatchObject({ faults: [] });
});

test.each([['anna'], ['4111111111111111']])(
  'the last request of a caller is destroyed with the shopper %s, and that of another shopper is not',
  async (erased) => {
    const { backend } = await open();
    const { callerRecords, lastRequests, context } = backend;
    const shopper = { ...key, shopperReference: erased };
    const mask = maskSensitive;
    const operation = recurringV25.operations.get('disable')!;
    for (const shopperReference of [erased, 'bert']) {
      const use = {
        ...{ tenant: key.company, credential: shopperReference, service: 'Recurring', operation: operation.name },
        ...{ version: 25, format: 'json', client: 'test' },
      };
      const id = idOf(use);
      const input = { merchantAccount: key.merchantAccount, shopperReference };
      const request = sealRequest({ vault: context.vault, mask }, use.tenant, id, {
        operation,
        input,
        version: 25,
        credential: 'apiKey',
      });
      await callerRecords.add([{ id, use, firstUsedAt: 1, lastUsedAt: 1, lastOutcome: 'ok', days: [], request }]);
    }
    expect(await erase(backend, shopperErasure, shopper, { actor, isDryRun: true })).toMatchObject({
      erased: { callerRequests: 1 },
    });
    expect([...(await lastRequests.findRequests(key.company))]).toHaveLength(2);
    expect(await erase(backend, shopperErasure, shopper, { actor, isDryRun: false })).toMatchObject({
      erased: { callerRequests: 1 },
    });
    const [[id, left] = []] = await lastRequests.findRequests(key.company);
    expect(openRequest(context.vault, key.company, id!, left!).input).toMatchObject({ shopperReference: 'bert' });
    expect(await callerRecords.listUses(0)).toHaveLength(2);
  },
);
