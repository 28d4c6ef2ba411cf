/** Tests that outcomes with sensitive members are stored sealed, open for their own record only, and under either index key of a rotation. */
import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { openOutcome, sealOutcome, serializeOutcome } from '../../src/core/idempotency/stored-outcome.ts';
import { SealBroken } from '../../src/core/vault/seal.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';

const key = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const [before, after] = [createRequestHasher(key(1), 'test'), createRequestHasher(key(2), 'test', key(1))];
const create = balancePlatformV2.operations.get('createAccountHolder')!;
const outcome = { requestReference: 'P1', output: { id: 'AH1', legalEntityId: 'LE-1' } };
const record = (hasher = before, tenant = 'Acme', idempotencyKey = 'order-7') => ({
  hasher,
  recordKey: before.recordKey({ tenant }, idempotencyKey),
});

test('an outcome with a sensitive member is sealed, the same one to the same text', () => {
  const stored = sealOutcome(outcome, create, record());
  expect(stored).toMatch(/^sealed:[\w+/=]+$/);
  expect(sealOutcome(outcome, create, record())).toBe(stored);
  expect(openOutcome(stored, 'createAccountHolder', record())).toBe(serializeOutcome(outcome, create));
});

test('it opens under the other index key of a rotation, and under no third one', () => {
  const stored = sealOutcome(outcome, create, record());
  const open = (text: string, hasher = before) => openOutcome(text, create.name, record(hasher));
  expect(open(stored, after)).toBe(serializeOutcome(outcome, create));
  expect(() => open(stored, createRequestHasher(key(3), 'test'))).toThrow(SealBroken);
  expect(() => open(`${stored.slice(0, -8)}AAAAAAA=`)).toThrow(SealBroken);
});

test.each([
  ['another tenant', create.name, record(before, 'Other')],
  ['a part of the tenant', create.name, record(before, 'Acme/A')],
  ['another key of the tenant', create.name, record(before, 'Acme', 'order-8')],
  ['another operation', 'updateAccountHolder', record()],
] as const)('it does not open for %s, and no nonce comes twice', (_, operation, owner) => {
  const stored = sealOutcome(outcome, create, record());
  expect(() => openOutcome(stored, operation, owner)).toThrow(SealBroken);
  const other = sealOutcome(outcome, { ...create, name: operation }, owner);
  const nonceOf = (text: string) => Buffer.from(text.slice('sealed:'.length), 'base64').subarray(0, 12).toString('hex');
  expect(nonceOf(other)).not.toBe(nonceOf(stored));
});

test('a question to another server does not open as an outcome', () => {
  const place = { record: record().recordKey, operation: create.name };
  const question = before.seal('{}', { part: 'question', ...place });
  expect(before.open(question, { part: 'question', ...place })).toBe('{}');
  expect(() => openOutcome(`sealed:${question}`, create.name, record())).toThrow(SealBroken);
});

test('an outcome without one is stored as it is, and opens unless all are sealed', () => {
  const disable = recurringV25.operations.get('disable')!;
  const plain = { requestReference: 'P1', output: { response: '[detail-successfully-disabled]' } };
  const stored = sealOutcome(plain, disable, record());
  expect(stored).toBe(serializeOutcome(plain, disable));
  expect(openOutcome(stored, disable.name, record())).toBe(stored);
  const sealing = createRequestHasher(key(1), 'test', undefined, { sealsAll: true });
  expect(() => openOutcome(stored, disable.name, record(sealing))).toThrow(SealBroken);
});
