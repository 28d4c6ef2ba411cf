/** Cases of tokenLookup. */
import { type Access, answered11, answered12, type Case, nil, ownDeclared, P, php, R, twelve } from '../case.ts';
import { printed } from '../print-recurring.ts';

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

export const access: Access = { roles: ['recurring:lookup'], readOnly: true, since: 2 };

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
  printed({
    title: 'a bank account, by its IBAN, with any owner name',
    operation: 'tokenLookup',
    client: 'axis',
    asks: {
      additionalData: null,
      bank: { iban: 'NL13TEST0123456789', ownerName: 'Anna' },
      card: null,
      elv: null,
      merchantAccount: 'DemoMerchant',
    },
    except: { soap11: { bank: { iban: 'NL13TEST0123456789', ownerName: 'Another Owner' } } },
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
    soap: accountHeld,
  }),
  printed({
    title: "another merchant account of the company does not hold this one's cards",
    operation: 'tokenLookup',
    asks: {
      card: { expiryMonth: '1', expiryYear: '2030', holderName: 'A', number: '4111111111111111' },
      merchantAccount: 'DemoMerchantNL',
    },
    gives: { pspReference: 'PSP0000000000001' },
    soap: noShopper,
  }),
  printed({
    title: 'nothing to look for',
    operation: 'tokenLookup',
    asks: { merchantAccount: 'DemoMerchant' },
    refuses: 'missingPaymentDetails',
    says: 'validation 927 Missing payment details',
    fields: { '': 'Missing payment details' },
  }),
];
