/** What a caller sends where a name should stand does not come back: it may be a card number. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { formats } from '../formats/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { type Loose, type Member, textNode } from '../support/lenient.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const card = '4111111111111111';
const service = recurringV25;
const storeToken = service.operations.get('storeToken')!;

const member = (name: string, node: Loose): Member => ({ name, node });
const object = (...members: readonly Member[]): Loose => ({ kind: 'object', members: [...members] });
const text = textNode('x');

/** Requests with a card number or a long text where a name should stand. */
const trees: readonly Loose[] = [
  object(member(`n${card}`, text), member('a'.repeat(200), text)),
  object(member('card', object(member(`number${card}`, text), member('a'.repeat(5_000), text)))),
  object(member('additionalData', { kind: 'map', members: [member(`[${card}]`, text)] })),
];

/** Bodies that only some formats can have. */
const others: readonly (readonly [NamedProtocol, string])[] = [
  ['json', `{"${card}":"x"}`],
  ['json', `{"card":{"number${card}":1,"${'a'.repeat(5_000)}":1}}`],
  ['form', `{"card":{"number":"${card}"}}`],
  ['form', card],
  ['form', `<a>${card}</a>`],
  ['form', `additionalData.${card}..x=1`],
  ['form', `${'a'.repeat(200)}=1`],
  ['adapter', `action=Recurring.storeToken&${card}=1`],
];

describe('no echo', () => {
  const printed = namedProtocols.flatMap((name) =>
    trees.map((tree) => [name, formats[name].print(service, storeToken, tree)] as const),
  );
  test.each([...printed, ...others])('%s: %.60s', async (name, body) => {
    const { contentType, path } = formats[name];
    const headers = { 'content-type': contentType, ...callers.demo };
    const { message, entry } = await gateway.ask({ path: path(service, storeToken), headers, body });
    expect(entry.outcome).not.toBe('ok');
    expect(entry.outcome).not.toBe('internal');
    expect(message.body).not.toContain(card);
    expect(message.body).not.toContain('a'.repeat(65));
    expect(message.body.length).toBeLessThan(2_048);
  });
});
