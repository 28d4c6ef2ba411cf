/** Cases of tokenLookup. */
import {
  answered11,
  answered12,
  axis,
  type Case,
  fault11,
  fault12,
  nil,
  ownDeclared,
  P,
  php,
  R,
  twelve,
} from '../case.ts';

const result = (tokens: string): string =>
  `<ns1:tokenLookupResponse${ownDeclared}><ns1:result>` +
  `${nil('additionalData')}<pspReference>PSP0000000000001</pspReference>${tokens}</ns1:result></ns1:tokenLookupResponse>`;

const cardHeld = result(
  `<tokens><TokenDetail><creationDate>2020-03-01T11:53:11.000+01:00</creationDate>` +
    '<lastKnownShopperEmail>shopper@example.com</lastKnownShopperEmail><shopperReference>shopper-1</shopperReference>' +
    '</TokenDetail></tokens>',
);
const accountHeld = result(
  `<tokens><TokenDetail><creationDate>2021-01-01T01:00:00.000+01:00</creationDate>` +
    '<lastKnownShopperEmail>shopper@example.com</lastKnownShopperEmail><shopperReference>shopper-1</shopperReference>' +
    '</TokenDetail></tokens>',
);
const noShopper = result(nil('tokens'));

export const cases: readonly Case[] = [
  {
    title: 'a card, by its number: who holds it, since when, with the e-mail last known',
    operation: 'tokenLookup',
    outcome: {
      gives: {
        pspReference: 'PSP0000000000001',
        tokens: [
          {
            creationDate: Date.UTC(2020, 2, 1, 10, 53, 11),
            lastKnownShopperEmail: 'shopper@example.com',
            shopperReference: 'shopper-1',
          },
        ],
      },
    },
    wire: {
      soap11: {
        sends: php(
          '<ns2:tokenLookup><ns2:request><ns2:card><ns1:expiryMonth>1</ns1:expiryMonth><ns1:expiryYear>2020</ns1:expiryYear>' +
            '<ns1:holderName>Somebody</ns1:holderName><ns1:number>4111111111111111</ns1:number></ns2:card>' +
            '<ns2:merchantAccount>DemoMerchant</ns2:merchantAccount></ns2:request></ns2:tokenLookup>',
        ),
        answers: answered11(cardHeld),
      },
      soap12: {
        sends: twelve(
          `<tokenLookup${R}><request><merchantAccount>DemoMerchant</merchantAccount><card><number${P}>4111111111111111</number>` +
            '<expiryMonth>12</expiryMonth><expiryYear>2029</expiryYear><holderName>B</holderName></card></request></tokenLookup>',
        ),
        answers: answered12(cardHeld),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","card":{"number":"4111111111111111","expiryMonth":"3","expiryYear":"2030",' +
          '"holderName":"Anna van Dijk"}}',
        answers:
          '{"pspReference":"PSP0000000000001","tokens":[{"TokenDetail":{"creationDate":"2020-03-01T11:53:11+01:00",' +
          '"lastKnownShopperEmail":"shopper@example.com","shopperReference":"shopper-1"}}]}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&card.number=4111111111111111&card.expiryMonth=3&card.expiryYear=2030' +
          '&card.holderName=Anna+van+Dijk',
        answers:
          'pspReference=PSP0000000000001&tokens.0.creationDate=2020-03-01T11%3A53%3A11%2B01%3A00' +
          '&tokens.0.lastKnownShopperEmail=shopper%40example.com&tokens.0.shopperReference=shopper-1',
      },
      adapter: {
        sends:
          'action=Recurring.tokenLookup&tokenLookupRequest.merchantAccount=DemoMerchant' +
          '&tokenLookupRequest.card.number=4111111111111111&tokenLookupRequest.card.expiryMonth=3' +
          '&tokenLookupRequest.card.expiryYear=2030&tokenLookupRequest.card.holderName=A',
        answers:
          'tokenLookupResult.pspReference=PSP0000000000001' +
          '&tokenLookupResult.tokens.0.creationDate=2020-03-01T11%3A53%3A11%2B01%3A00' +
          '&tokenLookupResult.tokens.0.lastKnownShopperEmail=shopper%40example.com' +
          '&tokenLookupResult.tokens.0.shopperReference=shopper-1',
      },
    },
  },
  {
    title: 'a bank account, by its IBAN, with any owner name',
    operation: 'tokenLookup',
    outcome: {
      gives: {
        pspReference: 'PSP0000000000001',
        tokens: [
          {
            creationDate: Date.UTC(2021, 0, 1),
            lastKnownShopperEmail: 'shopper@example.com',
            shopperReference: 'shopper-1',
          },
        ],
      },
    },
    wire: {
      soap11: {
        sends: axis(
          `<tokenLookup${R}><request><additionalData xsi:nil="true"/><bank><iban${P}>NL13TEST0123456789</iban>` +
            `<ownerName${P}>Another Owner</ownerName></bank><card xsi:nil="true"/><elv xsi:nil="true"/>` +
            '<merchantAccount>DemoMerchant</merchantAccount></request></tokenLookup>',
        ),
        answers: answered11(accountHeld),
      },
      soap12: {
        sends: twelve(
          `<tokenLookup${R}><request><bank><iban>NL13TEST0123456789</iban><ownerName>Anna</ownerName></bank>` +
            '<merchantAccount>DemoMerchant</merchantAccount></request></tokenLookup>',
        ),
        answers: answered12(accountHeld),
      },
      json: {
        sends: '{"bank":{"iban":"NL13TEST0123456789","ownerName":"Anna"},"card":null,"merchantAccount":"DemoMerchant"}',
        answers:
          '{"pspReference":"PSP0000000000001","tokens":[{"TokenDetail":{"creationDate":"2021-01-01T01:00:00+01:00",' +
          '"lastKnownShopperEmail":"shopper@example.com","shopperReference":"shopper-1"}}]}',
      },
      form: {
        sends: 'bank.iban=NL13TEST0123456789&bank.ownerName=Anna&merchantAccount=DemoMerchant',
        answers:
          'pspReference=PSP0000000000001&tokens.0.creationDate=2021-01-01T01%3A00%3A00%2B01%3A00' +
          '&tokens.0.lastKnownShopperEmail=shopper%40example.com&tokens.0.shopperReference=shopper-1',
      },
      adapter: {
        sends:
          'action=Recurring.tokenLookup&tokenLookupRequest.bank.iban=NL13TEST0123456789' +
          '&tokenLookupRequest.bank.ownerName=Anna&tokenLookupRequest.merchantAccount=DemoMerchant',
        answers:
          'tokenLookupResult.pspReference=PSP0000000000001' +
          '&tokenLookupResult.tokens.0.creationDate=2021-01-01T01%3A00%3A00%2B01%3A00' +
          '&tokenLookupResult.tokens.0.lastKnownShopperEmail=shopper%40example.com' +
          '&tokenLookupResult.tokens.0.shopperReference=shopper-1',
      },
    },
  },
  {
    title: "another merchant account of the company does not hold this one's cards",
    operation: 'tokenLookup',
    outcome: { gives: { pspReference: 'PSP0000000000001' } },
    wire: {
      soap11: {
        sends: php(
          '<ns2:tokenLookup><ns2:request><ns2:card><ns1:expiryMonth>1</ns1:expiryMonth><ns1:expiryYear>2030</ns1:expiryYear>' +
            '<ns1:holderName>A</ns1:holderName><ns1:number>4111111111111111</ns1:number></ns2:card>' +
            '<ns2:merchantAccount>DemoMerchantNL</ns2:merchantAccount></ns2:request></ns2:tokenLookup>',
        ),
        answers: answered11(noShopper),
      },
      soap12: {
        sends: twelve(
          `<tokenLookup${R}><request><merchantAccount>DemoMerchantNL</merchantAccount><card><number>4111111111111111</number>` +
            '<expiryMonth>1</expiryMonth><expiryYear>2030</expiryYear><holderName>A</holderName></card></request></tokenLookup>',
        ),
        answers: answered12(noShopper),
      },
      json: {
        sends:
          '{"card":{"number":"4111111111111111","expiryMonth":"1","expiryYear":"2030","holderName":"A"},' +
          '"merchantAccount":"DemoMerchantNL"}',
        answers: '{"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends:
          'card.number=4111111111111111&card.expiryMonth=1&card.expiryYear=2030&card.holderName=A' +
          '&merchantAccount=DemoMerchantNL',
        answers: 'pspReference=PSP0000000000001',
      },
      adapter: {
        sends:
          'action=Recurring.tokenLookup&tokenLookupRequest.card.number=4111111111111111' +
          '&tokenLookupRequest.card.expiryMonth=1&tokenLookupRequest.card.expiryYear=2030' +
          '&tokenLookupRequest.card.holderName=A&tokenLookupRequest.merchantAccount=DemoMerchantNL',
        answers: 'tokenLookupResult.pspReference=PSP0000000000001',
      },
    },
  },
  {
    title: 'nothing to look for',
    operation: 'tokenLookup',
    outcome: { refuses: 'missingPaymentDetails', fields: [''] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:tokenLookup><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount></ns2:request></ns2:tokenLookup>',
        ),
        answers: fault11('validation 927 Missing payment details'),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<tokenLookup${R}><request><merchantAccount>DemoMerchant</merchantAccount></request></tokenLookup>`,
        ),
        answers: fault12('validation 927 Missing payment details'),
        status: 400,
      },
      json: {
        sends: '{"merchantAccount":"DemoMerchant"}',
        answers:
          '{"status":422,"errorCode":"927","message":"Missing payment details","errorType":"validation",' +
          '"invalidFields":[{"name":"","message":"Missing payment details"}],"pspReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends: 'merchantAccount=DemoMerchant',
        answers:
          'errorType=validation&errorCode=927&message=Missing+payment+details&invalidFields.0.name=' +
          '&invalidFields.0.message=Missing+payment+details&pspReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends: 'action=Recurring.tokenLookup&tokenLookupRequest.merchantAccount=DemoMerchant',
        answers: 'validation 927 Missing payment details',
        status: 500,
      },
    },
  },
];
