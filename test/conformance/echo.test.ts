/** What a caller sends where a name should stand does not come back: it may be a card number. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operationAddress, serviceAddress } from '../../src/contract/service.ts';
import type { NamedProtocol } from '../../src/formats/index.ts';
import { recurringV25 } from '../../src/services/recurring/v25.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const card = '4111111111111111';
const service = recurringV25;
const storeToken = service.operations.get('storeToken')!;
const soapBody = `<storeToken xmlns="http://recurring.services.adyen.com"><request><n${card}/><${'a'.repeat(200)}/></request></storeToken>`;

const bodies: Readonly<Record<NamedProtocol, readonly string[]>> = {
  soap11: [`<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${soapBody}</e:Body></e:Envelope>`],
  soap12: [`<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body>${soapBody}</e:Body></e:Envelope>`],
  json: [
    `{"${card}":"x"}`,
    `{"card":{"number${card}":1,"${'a'.repeat(5_000)}":1}}`,
    `{"additionalData":{"[${card}]":"x"}}`,
  ],
  form: [
    `{"card":{"number":"${card}"}}`,
    card,
    `<a>${card}</a>`,
    `additionalData.${card}..x=1`,
    `${'a'.repeat(200)}=1`,
  ],
  adapter: [`action=Recurring.storeToken&${card}=1`, `action=Recurring.storeToken&storeTokenRequest.${card}=1`],
};

const types: Readonly<Record<NamedProtocol, string>> = {
  soap11: 'text/xml',
  soap12: 'application/soap+xml',
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  adapter: 'application/x-www-form-urlencoded',
};

const paths: Readonly<Record<NamedProtocol, string>> = {
  soap11: serviceAddress(service),
  soap12: serviceAddress(service),
  json: operationAddress(service, storeToken),
  form: operationAddress(service, storeToken),
  adapter: '/pal/adapter/httppost',
};

describe('no echo', () => {
  const cases = Object.entries(bodies).flatMap(([name, each]) =>
    each.map((body) => [name as NamedProtocol, body] as const),
  );
  test.each(cases)('%s: %.60s', async (name, body) => {
    const headers = { 'content-type': types[name], ...callers.demo };
    const { message, entry } = await gateway.ask({ path: paths[name], headers, body });
    expect(entry.outcome).not.toBe('ok');
    expect(entry.outcome).not.toBe('internal');
    expect(message.body).not.toContain(card);
    expect(message.body).not.toContain('a'.repeat(65));
    expect(message.body.length).toBeLessThan(2_048);
  });
});
