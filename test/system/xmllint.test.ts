/** Validates SOAP messages against the derived schemas with xmllint. */
import { describe, expect, test } from '@jest/globals';
import { contractOf } from '../../src/core/contract/service.ts';
import { services } from '../../src/payments/index.ts';
import { firstInvalid } from '../support/xmllint.ts';

const service = contractOf(services, 'Recurring', 25)!;

const answer = (content: string): string =>
  '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soap:Body>' +
  '<ns1:listRecurringDetailsResponse xmlns:ns1="http://recurring.services.adyen.com"><ns1:result>' +
  `${content}</ns1:result></ns1:listRecurringDetailsResponse></soap:Body></soap:Envelope>`;
const recurring = 'xmlns="http://recurring.services.adyen.com"';
const payment = 'xmlns="http://payment.services.adyen.com"';
const detail = (content: string) =>
  answer(
    `<creationDate ${recurring}>2009-10-27T11:26:22.203+01:00</creationDate>` +
      `<details ${recurring}><RecurringDetail>${content}</RecurringDetail></details>`,
  );
const card = (number: string) =>
  `<card><cvc ${payment} xsi:nil="true"/><expiryMonth ${payment}>12</expiryMonth><expiryYear ${payment}>2012</expiryYear>` +
  `<holderName ${payment}>A. Holder</holderName><number ${payment}>${number}</number></card>`;

describe('xmllint', () => {
  test.each([
    [
      'an unknown shopper, as known clients read it',
      answer(
        `<details ${recurring}/><lastKnownShopperEmail ${recurring} xsi:nil="true"/><shopperReference ${recurring} xsi:nil="true"/>`,
      ),
    ],
    [
      'a captured detail',
      detail(
        '<additionalData><entry><key xsi:type="xsd:string">cardBin</key><value xsi:type="xsd:string">411111</value></entry></additionalData>' +
          `<bank xsi:nil="true"/>${card('1111')}<contractTypes><string>ONECLICK</string></contractTypes>` +
          '<creationDate>2009-10-27T11:26:22.216+01:00</creationDate><elv xsi:nil="true"/><name/>' +
          '<recurringDetailReference>8412564043826158</recurringDetailReference>' +
          `<tokenDetails><tokenData ${payment}><entry ${recurring}><key>a</key><value>b</value></entry></tokenData></tokenDetails>` +
          '<variant>mc</variant>',
      ),
    ],
  ])('accepts %s', (_, xml) => {
    expect(firstInvalid(service, [xml])).toBeUndefined();
  });

  test.each([
    ['a number longer than any card', detail(card('1'.repeat(20)))],
    ['a card in the namespace of the detail', detail(`<card><number>1111</number></card>`)],
    ['elements out of order', detail('<variant>mc</variant><alias>A1</alias>')],
    ['an unknown element', detail('<colour>red</colour>')],
  ])('refuses %s', (_, xml) => {
    expect(firstInvalid(service, [xml])).toMatch(/Schemas validity error/);
  });
});
