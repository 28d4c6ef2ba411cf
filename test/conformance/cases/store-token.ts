/** Cases of storeToken. */
import {
  type Access,
  account,
  answered11,
  answered12,
  type Case,
  mc,
  nil,
  ownDeclared,
  P,
  php,
  R,
  twelve,
  visa,
} from '../case.ts';
import { printed } from '../print-recurring.ts';

const cardStored =
  `<ns1:storeTokenResponse${ownDeclared}><ns1:result>` +
  `<alias>P962471748121832</alias><aliasType>Default</aliasType><pspReference>PSP0000000000001</pspReference><rechargeReference>PSP0000000000001</rechargeReference>` +
  `<recurringDetailReference>8313147988756818</recurringDetailReference><result>Success</result>` +
  '</ns1:result></ns1:storeTokenResponse>';

const accountStored =
  `<ns1:storeTokenResponse${ownDeclared}><ns1:result>` +
  `${nil('alias', 'aliasType')}<pspReference>PSP0000000000001</pspReference><rechargeReference>PSP0000000000001</rechargeReference><recurringDetailReference>DETAIL0000000001</recurringDetailReference>` +
  `<result>Success</result></ns1:result></ns1:storeTokenResponse>`;

const card = { expiryMonth: '12', expiryYear: '2030', holderName: 'Anna', number: '4111111111111111' };
const shopper = {
  merchantAccount: 'DemoMerchant',
  recurring: { contract: 'PAYOUT' },
  shopperReference: 'shopper-1',
};

export const access: Access = { roles: ['recurring', 'recurring:store'], readOnly: false, since: 1 };

export const cases: readonly Case[] = [
  {
    title: 'a card that is there already, for another use: the detail keeps its reference and gains the use',
    operation: 'storeToken',
    outcome: {
      gives: {
        alias: 'P962471748121832',
        aliasType: 'Default',
        pspReference: 'PSP0000000000001',
        rechargeReference: 'PSP0000000000001',
        recurringDetailReference: '8313147988756818',
        result: 'Success',
      },
    },
    leaves: ['8313147988756818: ONECLICK,RECURRING,PAYOUT', mc, account],
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:card><ns1:cvc>737</ns1:cvc><ns1:expiryMonth>08</ns1:expiryMonth>' +
            '<ns1:expiryYear>2032</ns1:expiryYear><ns1:holderName>Anna &amp; Co</ns1:holderName><ns1:number>4111111111111111' +
            '</ns1:number></ns2:card><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurring><ns1:contract>' +
            'PAYOUT</ns1:contract></ns2:recurring><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        answers: answered11(cardStored),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card><number${P}>4111111111111111</number><expiryMonth>8</expiryMonth><expiryYear>2032` +
            '</expiryYear><holderName>Anna &amp; Co</holderName><issueNumber xsi:nil="true"/></card><merchantAccount>DemoMerchant' +
            '</merchantAccount><recurring><contract>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference>' +
            '<additionalData><entry><key xsi:type="xsd:string" xmlns:xsd="http://www.w3.org/2001/XMLSchema">a.b</key>' +
            '<value>1</value></entry></additionalData></request></storeToken>',
        ),
        answers: answered12(cardStored),
      },
      json: {
        sends:
          '{"card":{"cvc":"737","expiryMonth":8,"expiryYear":2032,"holderName":"Anna & Co","number":"4111111111111111"},' +
          '"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1",' +
          '"shopperIP":"127.0.0.1","additionalData":{"a.b":"1"}}',
        answers:
          '{"alias":"P962471748121832","aliasType":"Default","pspReference":"PSP0000000000001","rechargeReference":"PSP0000000000001",' +
          '"recurringDetailReference":"8313147988756818","result":"Success"}',
      },
      form: {
        sends:
          'card.cvc=737&card.expiryMonth=8&card.expiryYear=2032&card.holderName=Anna+%26+Co&card.number=4111111111111111' +
          '&merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&additionalData.a.b=1',
        answers:
          'alias=P962471748121832&aliasType=Default&pspReference=PSP0000000000001&rechargeReference=PSP0000000000001' +
          '&recurringDetailReference=8313147988756818&result=Success',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.card.expiryMonth=08&storeTokenRequest.card.expiryYear=2032' +
          '&storeTokenRequest.card.holderName=Anna+%26+Co&storeTokenRequest.card.number=4111111111111111' +
          '&storeTokenRequest.merchantAccount=DemoMerchant&storeTokenRequest.recurring.contract=PAYOUT' +
          '&storeTokenRequest.shopperReference=shopper-1',
        answers:
          'storeTokenResult.alias=P962471748121832&storeTokenResult.aliasType=Default' +
          '&storeTokenResult.pspReference=PSP0000000000001&storeTokenResult.rechargeReference=PSP0000000000001&storeTokenResult.recurringDetailReference=8313147988756818' +
          '&storeTokenResult.result=Success',
      },
    },
  },
  printed({
    title: 'a bank account: a new detail, without an alias',
    operation: 'storeToken',
    client: 'axis',
    asks: {
      bank: { iban: 'DE89370400440532013000', ownerName: 'Ánna "A" van Dijk' },
      card: null,
      elv: null,
      ...shopper,
      recurring: { contract: 'RECURRING,PAYOUT' },
    },
    except: {
      soap12: { additionalData: null, recurring: { contract: 'PAYOUT,RECURRING' } },
      json: { card: {} },
      form:
        'bank.iban=DE89370400440532013000&bank.ownerName=%C3%81nna&merchantAccount=DemoMerchant' +
        '&recurring.contract=RECURRING,PAYOUT&shopperReference=shopper-1&card.number=',
    },
    gives: {
      pspReference: 'PSP0000000000001',
      rechargeReference: 'PSP0000000000001',
      recurringDetailReference: 'DETAIL0000000001',
      result: 'Success',
    },
    soap: accountStored,
    leaves: [visa, mc, account, 'DETAIL0000000001: RECURRING,PAYOUT'],
  }),
  printed({
    title: 'neither a card nor an account: 927',
    operation: 'storeToken',
    asks: shopper,
    except: { soap12: { card: {}, bank: null }, json: { card: { cvc: null } } },
    refuses: 'missingPaymentDetails',
    says: 'validation 927 Missing payment details',
    fields: { '': 'Missing payment details' },
  }),
  printed({
    title: 'a card that holds no longer: 129, found out by the domain',
    operation: 'storeToken',
    asks: { card: { ...card, expiryYear: '2025' }, ...shopper },
    except: { soap11: { recurring: { contract: 'RECURRING' } } },
    refuses: 'invalidExpiry',
    says: 'validation 129 Expiry Date Invalid',
    fields: { 'card.expiryMonth': 'Expiry Date Invalid' },
  }),
  printed({
    title: 'four things wrong with a card at once: 103, 129, 128 and 101, each where it stands',
    operation: 'storeToken',
    asks: { card: { cvc: '1234x', expiryMonth: '12', expiryYear: '30', number: '4111111111111112' }, ...shopper },
    refuses: 'invalidCvc',
    says: 'validation 103 CVC is not the right length',
    fields: {
      'card.cvc':
        'CVC is not the right length: of the pattern [0-9]{1,20} (The security code: three or four digits, as the brand has them)',
      'card.expiryYear':
        'Expiry Date Invalid: of the pattern 20[0-9]{2}, such as 2030 (The year in which the card expires, four digits)',
      'card.holderName': "Required field 'card.holderName' is not provided.",
      'card.number':
        'Invalid card number: of the pattern [0-9]{12,19}, with a valid check digit (The card number, digits only)',
    },
  }),
  printed({
    title: 'a security code of five digits, which no brand has: 103',
    operation: 'storeToken',
    asks: { card: { cvc: '12345', ...card }, ...shopper },
    refuses: 'invalidCvc',
    says: 'validation 103 CVC is not the right length',
    fields: { 'card.cvc': 'CVC is not the right length' },
  }),
  printed({
    title: 'a card number that is none: 101, as it has always been answered',
    operation: 'storeToken',
    asks: { card: { ...card, number: '4111111111111112' }, ...shopper },
    except: {
      soap11: { card: { ...card, number: '4111 1111 1111 1111' } },
      form:
        'merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&card.expiryMonth=12' +
        '&card.expiryYear=2030&card.holderName=Anna&card.number=4%31111111111111112',
    },
    refuses: 'invalidCardNumber',
    says: 'validation 101 Invalid card number',
    fields: {
      'card.number':
        'Invalid card number: of the pattern [0-9]{12,19}, with a valid check digit (The card number, digits only)',
    },
  }),
  printed({
    title: 'a card without a number: 101',
    operation: 'storeToken',
    asks: { card: { expiryMonth: '12', expiryYear: '2030', holderName: 'Anna' }, ...shopper },
    refuses: 'invalidCardNumber',
    says: 'validation 101 Invalid card number',
    fields: {
      'card.number':
        'Invalid card number: of the pattern [0-9]{12,19}, with a valid check digit (The card number, digits only)',
    },
  }),
];
