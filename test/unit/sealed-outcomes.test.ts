/** Tests that outcomes with sensitive members are stored sealed, and open under either index key of a rotation. */
import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createRequestHasher } from '../../src/idempotency/request-hash.ts';
import { openOutcome, sealOutcome, serializeOutcome } from '../../src/idempotency/stored-outcome.ts';
import { balancePlatformV2 } from '../../src/services/balance-platform/v2.ts';
import { recurringV25 } from '../../src/services/recurring/versions.ts';
import { SealBroken } from '../../src/vault/seal.ts';

const key = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const [before, after] = [createRequestHasher(key(1), 'test'), createRequestHasher(key(2), 'test', key(1))];
const create = balancePlatformV2.operations.get('createAccountHolder')!;
const outcome = { requestReference: 'P1', output: { id: 'AH1', legalEntityId: 'LE-1' } };

test('an outcome with a sensitive member is sealed, the same one to the same text', () => {
  const stored = sealOutcome(outcome, create, before);
  expect(stored).toMatch(/^sealed:[\w+/=]+$/);
  expect(sealOutcome(outcome, create, before)).toBe(stored);
  expect(openOutcome(stored, before)).toBe(serializeOutcome(outcome, create));
});

test('it opens under the other index key of a rotation, and under no third one', () => {
  const stored = sealOutcome(outcome, create, before);
  expect(openOutcome(stored, after)).toBe(serializeOutcome(outcome, create));
  expect(() => openOutcome(stored, createRequestHasher(key(3), 'test'))).toThrow(SealBroken);
  expect(() => openOutcome(`${stored.slice(0, -8)}AAAAAAA=`, before)).toThrow(SealBroken);
});

test('an outcome without one is stored as it is, and so is one of an earlier release read', () => {
  const disable = recurringV25.operations.get('disable')!;
  const plain = { requestReference: 'P1', output: { response: '[detail-successfully-disabled]' } };
  expect(sealOutcome(plain, disable, before)).toBe(serializeOutcome(plain, disable));
  expect(openOutcome(serializeOutcome(outcome, create), before)).toBe(serializeOutcome(outcome, create));
});
