/** Shoppers, details and keys for the tests of the store. */
import type { KeyObject } from 'node:crypto';
import { freshKeys, type KeyRing, parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import type { ShopperKey, StoredDetail } from '../../src/payments/recurring/details.ts';
import type { InstrumentMatch } from '../../src/payments/recurring/match-instrument.ts';
import { type Engine, type Row, type Statement, statement } from '../../src/stores/sql/engine.ts';
import { migrate } from '../support/migrated.ts';
import { createRegistry } from '../support/services.ts';

export const ring: KeyRing = parseKeyRing(freshKeys());
export const vault = createVault(ring);
export const pepper: KeyObject = ring.pepper;

export const cardNumber = '4111111111111111';
export const iban = 'NL13TEST0123456789';

export const anna: ShopperKey = { company: 'Demo', merchantAccount: 'DemoMerchant', shopperReference: 'anna' };

/** For searches by fingerprints that are made up. */
export const anyInstrument: InstrumentMatch = { needsPayload: false, matches: () => true };

/** A card and a bank account, sealed for the company. */
export function sampleDetail(
  reference: string,
  parts: Partial<StoredDetail> & { company?: string } = {},
): StoredDetail {
  const { company = 'Demo', ...rest } = parts;
  return {
    recurringDetailReference: reference,
    createdAt: 1_583_059_991_000,
    contracts: ['ONECLICK', 'RECURRING'],
    fingerprint: vault.fingerprint(company, cardNumber),
    publicData: {
      alias: vault.alias(company, cardNumber),
      aliasType: 'Default',
      card: { expiryMonth: '3', expiryYear: '2030', holderName: 'Änna "van" Dijk', number: '1111' },
      firstPspReference: '8815252013129012',
      variant: 'visa',
    },
    sealed: vault.seal(
      { tenant: company, record: reference },
      { number: cardNumber, payload: JSON.stringify({ bank: { iban, ownerName: 'Anna' } }) },
    ),
    ...rest,
  };
}

/** Tables, and the accounts of two companies. */
export async function furnish(engine: Engine): Promise<void> {
  await migrate(engine);
  const registry = createRegistry(engine, pepper, { now: () => 1 });
  await registry.addMerchantAccount('Demo', 'DemoMerchant');
  await registry.addMerchantAccount('Demo', 'DemoMerchantNL');
  await registry.addMerchantAccount('Other', 'OtherMerchant');
}

let texts = 0;

/** A statement for one use. An engine prepares each name once. */
export function sqlText<R extends Row>(text: string): Statement<R> {
  texts += 1;
  return statement<R>(`test-${texts}`, text);
}

/** Runs a text in a transaction of its own. Returns the number of rows written. */
export function runText(engine: Engine, text: string): Promise<number> {
  return engine.write((session) => session.execute(sqlText(text), []));
}
