/** Cases of listRecurringDetails. */
import {
  type Access,
  allDeclared,
  answered11,
  answered12,
  axis,
  type Case,
  nil,
  P,
  php,
  R,
  template,
  twelve,
} from '../case.ts';
import { printed } from '../print-recurring.ts';

const visaDetail = {
  additionalData: { 'card.bin': '411111' },
  alias: 'P962471748121832',
  aliasType: 'Default',
  card: { expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk', number: '1111' },
  contractTypes: ['ONECLICK', 'RECURRING'],
  creationDate: Date.UTC(2020, 2, 1, 10, 53, 11),
  firstPspReference: '8815252013129012',
  name: 'My "first" card & more',
  paymentMethodVariant: 'visa',
  recurringDetailReference: '8313147988756818',
  variant: 'visa',
};

const shopper = {
  lastKnownShopperEmail: 'shopper@example.com',
  shopperReference: 'shopper-1',
};

const visaXml =
  '<RecurringDetail><additionalData><entry><key xsi:type="xsd:string">card.bin</key>' +
  '<value xsi:type="xsd:string">411111</value></entry></additionalData>' +
  `<alias>P962471748121832</alias><aliasType>Default</aliasType>${nil('bank', 'billingAddress')}` +
  `<card>${nil('ns2:cvc')}<ns2:expiryMonth>3</ns2:expiryMonth><ns2:expiryYear>2030</ns2:expiryYear><ns2:holderName>Anna van Dijk</ns2:holderName>` +
  `${nil('ns2:issueNumber')}<ns2:number>1111</ns2:number>${nil('ns2:startMonth', 'ns2:startYear')}</card>` +
  '<contractTypes><string>ONECLICK</string><string>RECURRING</string></contractTypes>' +
  `<creationDate>2020-03-01T11:53:11.000+01:00</creationDate>${nil('elv')}<firstPspReference>8815252013129012</firstPspReference>` +
  '<name>My &quot;first&quot; card &amp; more</name><paymentMethodVariant>visa</paymentMethodVariant>' +
  `<recurringDetailReference>8313147988756818</recurringDetailReference>${nil('shopperName', 'socialSecurityNumber', 'tokenDetails')}` +
  '<variant>visa</variant></RecurringDetail>';

const accountXml =
  `<RecurringDetail>${nil('additionalData', 'alias', 'aliasType')}` +
  `<bank>${nil('ns2:bankAccountNumber', 'ns2:bankLocationId', 'ns2:bankName', 'ns2:bic')}<ns2:countryCode>NL</ns2:countryCode>` +
  `<ns2:iban>NL13TEST0123456789</ns2:iban><ns2:ownerName>Ánna van Dijk</ns2:ownerName></bank>${nil('billingAddress', 'card')}` +
  '<contractTypes><string>PAYOUT</string></contractTypes>' +
  `<creationDate>2021-01-01T01:00:00.000+01:00</creationDate>${nil('elv')}<firstPspReference>8815252013129014</firstPspReference>` +
  `${nil('name')}<paymentMethodVariant>sepadirectdebit</paymentMethodVariant>` +
  `<recurringDetailReference>8814232895168272</recurringDetailReference>${nil('shopperName', 'socialSecurityNumber', 'tokenDetails')}` +
  '<variant>sepadirectdebit</variant></RecurringDetail>';

const result = (content: string): string =>
  `<ns1:listRecurringDetailsResponse${allDeclared}><ns1:result>` +
  `${content}</ns1:result></ns1:listRecurringDetailsResponse>`;

const known = (details: string): string =>
  result(
    `<creationDate>2020-03-01T11:53:11.000+01:00</creationDate>${details}` +
      `<lastKnownShopperEmail>shopper@example.com</lastKnownShopperEmail><shopperReference>shopper-1</shopperReference>`,
  );

const visaOnly = known(`<details>${visaXml}</details>`);
const accountOnly = known(`<details>${accountXml}</details>`);
const noDetails = known(nil('details'));
const unknown = result(`${nil('creationDate')}<details/>${nil('lastKnownShopperEmail', 'shopperReference')}`);

const visaPairs = (prefix: string): string =>
  [
    'creationDate=2020-03-01T11%3A53%3A11%2B01%3A00',
    'details.0.additionalData.card.bin=411111',
    'details.0.alias=P962471748121832',
    'details.0.aliasType=Default',
    'details.0.card.expiryMonth=3',
    'details.0.card.expiryYear=2030',
    'details.0.card.holderName=Anna+van+Dijk',
    'details.0.card.number=1111',
    'details.0.contractTypes.0=ONECLICK',
    'details.0.contractTypes.1=RECURRING',
    'details.0.creationDate=2020-03-01T11%3A53%3A11%2B01%3A00',
    'details.0.firstPspReference=8815252013129012',
    'details.0.name=My+%22first%22+card+%26+more',
    'details.0.paymentMethodVariant=visa',
    'details.0.recurringDetailReference=8313147988756818',
    'details.0.variant=visa',
    'lastKnownShopperEmail=shopper%40example.com',
    'shopperReference=shopper-1',
  ]
    .map((pair) => prefix + pair)
    .join('&');

export const access: Access = { roles: ['recurring', 'recurring:list'], readOnly: true, since: 1 };

export const cases: readonly Case[] = [
  {
    title: 'a known shopper, a contract named: the detail stored for it and another is found',
    operation: 'listRecurringDetails',
    outcome: { gives: { creationDate: Date.UTC(2020, 2, 1, 10, 53, 11), details: [visaDetail], ...shopper } },
    wire: {
      soap11: {
        sends: php(
          '<ns2:listRecurringDetails><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurring>' +
            '<ns1:contract>ONECLICK</ns1:contract></ns2:recurring><ns2:shopperReference>shopper-1</ns2:shopperReference>' +
            '</ns2:request></ns2:listRecurringDetails>',
        ),
        answers: answered11(visaOnly),
      },
      soap12: {
        sends: twelve(
          `<listRecurringDetails${R}><request><recurring><contract${P}>ONECLICK</contract></recurring>` +
            '<merchantAccount>DemoMerchant</merchantAccount><shopperReference>shopper-1</shopperReference></request>' +
            '</listRecurringDetails>',
        ),
        answers: answered12(visaOnly),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurring":{"contract":"ONECLICK"},"shopperReference":"shopper-1",' +
          '"applicationInfo":{"adyenLibrary":{"name":"adyen-python-api-library","version":"2.2.0"}}}',
        answers:
          '{"creationDate":"2020-03-01T11:53:11+01:00","details":[{"RecurringDetail":{"additionalData":{"card.bin":"411111"},' +
          '"alias":"P962471748121832","aliasType":"Default","card":{"expiryMonth":"3","expiryYear":"2030",' +
          '"holderName":"Anna van Dijk","number":"1111"},"contractTypes":["ONECLICK","RECURRING"],' +
          '"creationDate":"2020-03-01T11:53:11+01:00","firstPspReference":"8815252013129012",' +
          '"name":"My \\"first\\" card & more","paymentMethodVariant":"visa",' +
          '"recurringDetailReference":"8313147988756818","variant":"visa"}}],' +
          '"lastKnownShopperEmail":"shopper@example.com","shopperReference":"shopper-1"}',
      },
      form: {
        sends:
          'action=Recurring.listRecurringDetails&merchantAccount=DemoMerchant&recurring.contract=ONECLICK&shopperReference=shopper-1',
        answers: visaPairs(''),
      },
      adapter: {
        sends:
          'action=Recurring.listRecurringDetails&recurringDetailsRequest.merchantAccount=DemoMerchant' +
          '&recurringDetailsRequest.shopperReference=shopper-1&recurringDetailsRequest.recurring.contract=ONECLICK',
        answers: visaPairs('recurringDetailsResult.'),
      },
    },
  },
  printed({
    title: 'the contract in the other namespace, nil and null, spaces, a key with a dot: an account is found',
    operation: 'listRecurringDetails',
    asks: {
      merchantAccount: 'DemoMerchant',
      recurring: { contract: ' PAYOUT ', recurringDetailName: null },
      shopperReference: 'shopper-1',
    },
    except: {
      soap11: template(`
    <recurring:listRecurringDetails>
      <recurring:request>
        <recurring:recurring>
          <recurring:contract>PAYOUT</recurring:contract>
        </recurring:recurring>
        <recurring:merchantAccount>DemoMerchant</recurring:merchantAccount>
        <recurring:shopperReference>shopper-1</recurring:shopperReference>
      </recurring:request>
    </recurring:listRecurringDetails>
  `),
      form: 'recurring%2Econtract=+PAYOUT+&recurring.recurringDetailName=&shopperReference=shopper-1&merchantAccount=DemoMerchant&',
      adapter:
        'recurringDetailsRequest.merchantAccount=DemoMerchant&recurringDetailsRequest.shopperReference=shopper-1' +
        '&recurringDetailsRequest.shopperEmail=x%40example.com&recurringDetailsRequest.recurring.contract=PAYOUT' +
        '&action=Recurring.listRecurringDetails',
    },
    gives: {
      creationDate: Date.UTC(2020, 2, 1, 10, 53, 11),
      details: [
        {
          bank: { countryCode: 'NL', iban: 'NL13TEST0123456789', ownerName: 'Ánna van Dijk' },
          contractTypes: ['PAYOUT'],
          creationDate: Date.UTC(2021, 0, 1),
          firstPspReference: '8815252013129014',
          paymentMethodVariant: 'sepadirectdebit',
          recurringDetailReference: '8814232895168272',
          variant: 'sepadirectdebit',
        },
      ],
      ...shopper,
    },
    soap: accountOnly,
  }),
  printed({
    title: 'an unknown shopper: an empty object',
    operation: 'listRecurringDetails',
    client: 'axis',
    asks: { merchantAccount: 'DemoMerchant', recurring: null, shopperReference: 'nobody' },
    gives: {},
    soap: unknown,
  }),
  printed({
    title: 'a known shopper without a detail for the contract: no details',
    operation: 'listRecurringDetails',
    asks: {
      merchantAccount: 'DemoMerchant',
      recurring: { contract: 'ONECLICK,PAYOUT' },
      shopperReference: 'shopper-1',
    },
    except: {
      soap11: axis(
        `<listRecurringDetails${R}><request><merchantAccount>DemoMerchant</merchantAccount><recurring><contract${P}>` +
          `ONECLICK,PAYOUT</contract><recurringDetailName${P} xsi:nil="true"/><tokenService${P} xsi:nil="1"/></recurring>` +
          '<shopperReference>shopper-1</shopperReference></request></listRecurringDetails>',
      ),
      soap12: twelve(
        `<x:listRecurringDetails xmlns:x="http://recurring.services.adyen.com"><x:request><x:merchantAccount>` +
          '<![CDATA[DemoMerchant]]></x:merchantAccount><x:recurring><x:contract>PAYOUT,<!-- both -->ONECLICK</x:contract>' +
          '</x:recurring><x:shopperReference>shopper&#45;1</x:shopperReference></x:request></x:listRecurringDetails>',
      ),
      json: '\ufeff{"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT,ONECLICK"},"shopperReference":"shopper\\u002d1"}',
      form: 'merchantAccount=DemoMerchant&recurring.contract=PAYOUT%2C+ONECLICK&shopperReference=shopper%2D1',
    },
    gives: { creationDate: Date.UTC(2020, 2, 1, 10, 53, 11), ...shopper },
    soap: noDetails,
  }),
];
