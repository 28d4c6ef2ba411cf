/** Objects and maps as PHP and SOAP::Lite encode them without a WSDL: each with a type of its own, which means any object or map. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openGateway();
});
afterEach(() => gateway.close());

const card =
  '<number>4111111111111111</number><expiryMonth>3</expiryMonth><expiryYear>2030</expiryYear><holderName>Anna</holderName>';

async function store(type: string, additionalData: string) {
  const object = (name: string, content: string) => `<${name} xsi:type="enc:${type}">${content}</${name}>`;
  const content =
    `<merchantAccount>DemoMerchant</merchantAccount><shopperReference>encoded</shopperReference>${additionalData}` +
    object('card', card) +
    object('recurring', '<contract>RECURRING</contract>');
  const { entry } = await gateway.ask({
    path: '/pal/servlet/Recurring/v12',
    headers: { 'content-type': 'text/xml', ...callers.demo },
    body:
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' +
      ' xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>' +
      `<n:storeToken xmlns:n="http://recurring.services.adyen.com">${object('request', content)}</n:storeToken>` +
      '</s:Body></s:Envelope>',
  });
  return entry.outcome;
}

async function storedEntries() {
  const { message } = await gateway.ask({
    path: '/pal/servlet/Recurring/v25/listRecurringDetails',
    headers: { 'content-type': 'application/json', ...callers.demo },
    body: JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: 'encoded' }),
  });
  return JSON.parse(message.body).details[0].RecurringDetail.additionalData;
}

test.each([
  ['Struct', 'ok'],
  ['SOAPStruct', 'ok'],
  ['anyType', 'ok'],
  ['Array', 'structure'],
  ['Card', 'structure'],
])('objects of the type %s: %s', async (type, outcome) => {
  expect(await store(type, '')).toBe(outcome);
});

describe('a map', () => {
  const entry = (name: string) => `<${name}><key>color</key><value xsi:type="xsd:string">red</value></${name}>`;

  test.each([
    ['Map', entry('item'), 'ok'],
    ['Map', entry('entry'), 'ok'],
    ['anyType2anyTypeMap', entry('entry'), 'ok'],
    ['anyType2anyTypeMap', entry('item'), 'structure'],
    ['Map', entry('item') + entry('entry').replace('color', 'size'), 'structure'],
    ['Struct', entry('entry'), 'structure'],
    // What a prefix stands for would be lost.
    ['Map', entry('item').replace('string">red', 'QName">xsd:red'), 'structure'],
  ])('of the type %s with %s: %s', async (type, entries, outcome) => {
    expect(await store('Struct', `<additionalData xsi:type="enc:${type}">${entries}</additionalData>`)).toBe(outcome);
    if (outcome === 'ok') expect(await storedEntries()).toEqual({ color: 'red' });
  });
});
