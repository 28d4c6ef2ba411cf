/** Two versions of one service, whose shapes differ: each caller sends and gets the shapes of its own version. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { implementBothVersions, recurringBeforeV70, recurringV70 } from '../support/newer-recurring.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openGateway({ implementations: (dependencies) => [implementBothVersions(dependencies)] });
});
afterEach(() => gateway.close());

const protocols = createProtocols([recurringBeforeV70, recurringV70]);

/** Calls `disable` for shopper-1, as a client of the version would. */
const disable = async (
  name: NamedProtocol,
  service: Service,
  input: object,
  { key, who = callers.demo }: { readonly key?: string; readonly who?: object } = {},
) => {
  const operation = service.operations.get('disable')!;
  const asked = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1', ...input };
  const { path, contentType, body } = protocols[name].encodeRequest(service, operation, asked);
  const headers = { 'content-type': contentType, ...who, ...(key && { 'idempotency-key': key }) };
  const { message, entry } = await gateway.ask({ path, headers, body });
  const output = entry.outcome === 'ok' ? protocols[name].decodeResponse(operation, message.body) : undefined;
  return { output, message, entry };
};

const v25Output = { value: { response: '[all-details-successfully-disabled]' }, issues: [] };
const v70Output = { value: { disabled: 'all', revision: 70 }, issues: [] };
const withoutPayout = ['8313147988756818: ONECLICK,RECURRING', '8415995487234100: RECURRING'];

describe.each(namedProtocols)('%s', (name) => {
  test('a caller of the older version disables the one contract that it names, and no other', async () => {
    const { output, entry } = await disable(name, recurringBeforeV70, { contract: ['PAYOUT'] });
    expect([entry.protocol, entry.version, entry.outcome]).toEqual([name, 25, 'ok']);
    expect(output).toEqual(v25Output);
    expect(await gateway.active()).toEqual(withoutPayout);
  });

  test('a caller of the newer version sends and gets the newer shapes', async () => {
    const { output, entry } = await disable(name, recurringV70, { contracts: ['PAYOUT'] });
    expect([entry.protocol, entry.version, entry.outcome]).toEqual([name, 70, 'ok']);
    expect(output).toEqual(v70Output);
    expect(await gateway.active()).toEqual(withoutPayout);
  });

  test('a field of the newer version is unknown to the older one, and nothing is disabled', async () => {
    const before = await gateway.active();
    const { entry } = await disable(
      name,
      { ...recurringV70, ...addressOf(recurringBeforeV70) },
      { contracts: ['PAYOUT'] },
    );
    expect([entry.version, entry.outcome]).toEqual([25, 'unknownField']);
    expect(await gateway.active()).toEqual(before);
  });

  test.each([
    [recurringBeforeV70, 'contract'],
    [recurringV70, 'contracts'],
  ] as const)('issues stand where the caller of $version wrote the field', async (service, field) => {
    const { entry } = await disable(name, service, { [field]: ['PAYOUT', 'NONE'] });
    expect(entry.problem?.issues.map(({ path, kind }) => [path, kind.name])).toEqual([[[field], 'invalidContract']]);
  });

  test('a caller without the role is refused before its fields are looked at', async () => {
    const { entry } = await disable(name, recurringBeforeV70, { contract: ['NONE'] }, { who: callers.withoutRole });
    expect(entry.outcome).toBe('notAllowed');
  });

  test('the merchant account of an older request is authorized', async () => {
    const { entry } = await disable(name, recurringBeforeV70, { merchantAccount: 'OtherMerchant' });
    expect(entry.outcome).toBe('foreignMerchantAccount');
  });

  test.each(namedProtocols)('one key holds across versions and formats: %s', async (other) => {
    const first = await disable(name, recurringBeforeV70, { contract: ['PAYOUT'] }, { key: 'key-of-one-effect' });
    expect(first.output).toEqual(v25Output);
    gateway.restart();
    const again = await disable(other, recurringV70, { contracts: ['PAYOUT'] }, { key: 'key-of-one-effect' });
    expect([again.output, again.entry.replayed]).toEqual([v70Output, true]);
    expect(again.entry.requestReference).toBe(first.entry.requestReference);
    const back = await disable(name, recurringBeforeV70, { contract: ['PAYOUT'] }, { key: 'key-of-one-effect' });
    expect([back.output, back.entry.replayed]).toEqual([v25Output, true]);
    const changed = await disable(other, recurringV70, { contracts: ['RECURRING'] }, { key: 'key-of-one-effect' });
    expect(changed.entry.outcome).toBe('keyReused');
    expect(await gateway.active()).toEqual(withoutPayout);
  });
});

/** Where a client that took one version for the other sends its requests. */
const addressOf = ({ version, legacy }: Service) => ({ version, ...(legacy && { legacy }) });
