/** Cases of members that mean nothing here: empty unknown ones, and those of other versions and of known clients. */
import { account, answered11, answered12, axis, type Case, mc, ownDeclared, P, php, R, twelve, visa } from '../case.ts';

const disabled =
  `<ns1:disableResponse${ownDeclared}><ns1:result><response>[detail-successfully-disabled]</response></ns1:result>` +
  '</ns1:disableResponse>';

const cardStored =
  `<ns1:storeTokenResponse${ownDeclared}><ns1:result>` +
  '<alias>P962471748121832</alias><aliasType>Default</aliasType><pspReference>PSP0000000000001</pspReference>' +
  '<rechargeReference>PSP0000000000001</rechargeReference>' +
  '<recurringDetailReference>8313147988756818</recurringDetailReference><result>Success</result>' +
  '</ns1:result></ns1:storeTokenResponse>';

const answers = {
  soap11: answered11(disabled),
  soap12: answered12(disabled),
  json: '{"response":"[detail-successfully-disabled]"}',
  form: 'response=%5Bdetail-successfully-disabled%5D',
  adapter: 'disableResult.response=%5Bdetail-successfully-disabled%5D',
} as const;

const outcome: Case['outcome'] = { gives: { response: '[detail-successfully-disabled]' } };

/** The members of a request that disables one detail, as each format writes them. */
const fields = (detail: string) =>
  `<merchantAccount>DemoMerchant</merchantAccount><recurringDetailReference>${detail}</recurringDetailReference>` +
  '<shopperReference>shopper-1</shopperReference>';
const members = (detail: string) =>
  `"merchantAccount":"DemoMerchant","recurringDetailReference":"${detail}","shopperReference":"shopper-1"`;
const pairs = (detail: string, prefix = '') =>
  `${prefix}merchantAccount=DemoMerchant&${prefix}recurringDetailReference=${detail}&${prefix}shopperReference=shopper-1`;

const visaReference = '8313147988756818';
const accountReference = '8814232895168272';

export const cases: readonly Case[] = [
  {
    title: 'unknown members that are nil, null, blank or empty at any depth are ignored',
    operation: 'disable',
    outcome,
    leaves: [mc, account],
    wire: {
      soap11: {
        sends: axis(
          `<disable${R}><request><colour xsi:nil="true"/><size/><shape>\n </shape>${fields(visaReference)}` +
            '<owner><name xsi:nil="true"/><address><city/></address></owner></request></disable>',
        ),
        answers: answers.soap11,
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><colour xsi:nil="1"/>${fields(visaReference)}<x:size xmlns:x="urn:other"/></request></disable>`,
        ),
        answers: answers.soap12,
      },
      json: {
        sends: `{"colour":null,"size":"","shape":" ",${members(visaReference)},"owner":{"name":null,"addresses":[{"city":""},[]]}}`,
        answers: answers.json,
      },
      form: { sends: `colour=&shape=+&${pairs(visaReference)}&owner.name=&owner.address.city`, answers: answers.form },
      adapter: {
        sends: `action=Recurring.disable&${pairs(visaReference, 'disableRequest.')}&disableRequest.colour=&disableRequest.owner.name=&size=`,
        answers: answers.adapter,
      },
    },
  },
  {
    title: 'members that the Python library sends with every request are ignored',
    operation: 'disable',
    outcome,
    leaves: [visa, mc],
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurringDetailReference>' +
            '8814232895168272</ns2:recurringDetailReference><ns2:reference>r</ns2:reference><ns2:shopperEmail>a@b.c' +
            '</ns2:shopperEmail><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:disable>',
        ),
        answers: answers.soap11,
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request>${fields(accountReference)}<applicationInfo><adyenLibrary><name>x</name></adyenLibrary></applicationInfo>` +
            '<shopperEmail>a@b.c</shopperEmail></request></disable>',
        ),
        answers: answers.soap12,
      },
      json: {
        sends: `{"reference":"r","shopperEmail":"a@b.c",${members(accountReference)},"applicationInfo":{"adyenLibrary":{"name":"x"}}}`,
        answers: answers.json,
      },
      form: { sends: `reference=r&shopperEmail=a%40b.c&${pairs(accountReference)}`, answers: answers.form },
      adapter: {
        sends: `action=Recurring.disable&${pairs(accountReference, 'disableRequest.')}&disableRequest.reference=r&disableRequest.shopperEmail=a%40b.c`,
        answers: answers.adapter,
      },
    },
  },
  {
    title: 'the brand and the billing address of a card, and members of version 12 and 40, are ignored',
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
        sends: axis(
          `<storeToken${R}><request><card><billingAddress xsi:nil="true"${P}/><brand${P}>visa</brand>` +
            `<expiryMonth${P}>08</expiryMonth><expiryYear${P}>2032</expiryYear><holderName${P}>Anna &amp; Co</holderName>` +
            `<number${P}>4111111111111111</number></card><merchantAccount>DemoMerchant</merchantAccount>` +
            `<params><entry><key>a</key><value>b</value></entry></params><pspEchoData>x</pspEchoData>` +
            `<recurring><contract${P}>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference>` +
            '<shopperStatement>y</shopperStatement></request></storeToken>',
        ),
        answers: answered11(cardStored),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card${P}><billingAddress><city>Berlin</city></billingAddress>` +
            '<expiryMonth>8</expiryMonth><expiryYear>2032</expiryYear><holderName>Anna &amp; Co</holderName>' +
            '<number>4111111111111111</number></card><merchantAccount>DemoMerchant</merchantAccount>' +
            '<recurring><contract>PAYOUT</contract><recurringFrequency>30</recurringFrequency></recurring>' +
            '<returnUrl>http://localhost/</returnUrl><shopperReference>shopper-1</shopperReference></request></storeToken>',
        ),
        answers: answered12(cardStored),
      },
      json: {
        sends:
          '{"card":{"billingAddress":{"city":"Berlin"},"brand":"visa","expiryMonth":8,"expiryYear":2032,' +
          '"holderName":"Anna & Co","number":"4111111111111111"},"merchantAccount":"DemoMerchant","params":{"a":"b"},' +
          '"recurring":{"contract":"PAYOUT","recurringExpiry":"2032-01-01T00:00:00Z"},"shopperReference":"shopper-1"}',
        answers:
          '{"alias":"P962471748121832","aliasType":"Default","pspReference":"PSP0000000000001",' +
          '"rechargeReference":"PSP0000000000001","recurringDetailReference":"8313147988756818","result":"Success"}',
      },
      form: {
        sends:
          'card.expiryMonth=8&card.expiryYear=2032&card.holderName=Anna+%26+Co&card.number=4111111111111111&card.brand=visa' +
          '&card.billingAddress.city=Berlin&merchantAccount=DemoMerchant&recurring.contract=PAYOUT' +
          '&shopperReference=shopper-1&shopperIP=127.0.0.1',
        answers:
          'alias=P962471748121832&aliasType=Default&pspReference=PSP0000000000001&rechargeReference=PSP0000000000001' +
          '&recurringDetailReference=8313147988756818&result=Success',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.card.expiryMonth=08&storeTokenRequest.card.expiryYear=2032' +
          '&storeTokenRequest.card.holderName=Anna+%26+Co&storeTokenRequest.card.number=4111111111111111' +
          '&storeTokenRequest.card.brand=visa&storeTokenRequest.merchantAccount=DemoMerchant' +
          '&storeTokenRequest.recurring.contract=PAYOUT&storeTokenRequest.shopperReference=shopper-1',
        answers:
          'storeTokenResult.alias=P962471748121832&storeTokenResult.aliasType=Default' +
          '&storeTokenResult.pspReference=PSP0000000000001&storeTokenResult.rechargeReference=PSP0000000000001' +
          '&storeTokenResult.recurringDetailReference=8313147988756818&storeTokenResult.result=Success',
      },
    },
  },
];
