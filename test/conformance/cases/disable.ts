/** Cases of disable. */
import {
  account,
  answered11,
  answered12,
  axis,
  type Case,
  fault11,
  fault12,
  ownDeclared,
  php,
  R,
  template,
  twelve,
  visa,
} from '../case.ts';

const response = (text: string): string =>
  `<ns1:disableResponse${ownDeclared}><ns1:result><response>${text}</response></ns1:result></ns1:disableResponse>`;

const one = response('[detail-successfully-disabled]');
const all = response('[all-details-successfully-disabled]');

export const cases: readonly Case[] = [
  {
    title: 'one detail',
    operation: 'disable',
    outcome: { gives: { response: '[detail-successfully-disabled]' } },
    leaves: [visa, account],
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurringDetailReference>' +
            '8415995487234100</ns2:recurringDetailReference><ns2:shopperReference>shopper-1</ns2:shopperReference>' +
            '</ns2:request></ns2:disable>',
        ),
        answers: answered11(one),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><shopperReference>shopper-1</shopperReference><recurringDetailReference>8415995487234100` +
            '</recurringDetailReference><merchantAccount>DemoMerchant</merchantAccount></request></disable>',
        ),
        answers: answered12(one),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurringDetailReference":"8415995487234100","shopperReference":"shopper-1"}',
        answers: '{"response":"[detail-successfully-disabled]"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&recurringDetailReference=8415995487234100&shopperReference=shopper-1',
        answers: 'response=%5Bdetail-successfully-disabled%5D',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1' +
          '&disableRequest.recurringDetailReference=8415995487234100',
        answers: 'disableResult.response=%5Bdetail-successfully-disabled%5D',
      },
    },
  },
  {
    title: 'the whole contract, with the reference nil, null or left out',
    operation: 'disable',
    outcome: { gives: { response: '[all-details-successfully-disabled]' } },
    leaves: [],
    wire: {
      soap11: {
        sends: axis(
          `<disable${R}><request><contract xsi:nil="true"/><merchantAccount>DemoMerchant</merchantAccount>` +
            '<recurringDetailReference xsi:nil="true"/><shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        answers: answered11(all),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount>` +
            '<shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        answers: answered12(all),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1","recurringDetailReference":null,"contract":null}',
        answers: '{"response":"[all-details-successfully-disabled]"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&shopperReference=shopper-1',
        answers: 'response=%5Ball-details-successfully-disabled%5D',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1',
        answers: 'disableResult.response=%5Ball-details-successfully-disabled%5D',
      },
    },
  },
  {
    title: 'some uses only: a detail with none left goes, the others keep theirs',
    operation: 'disable',
    outcome: { gives: { response: '[all-details-successfully-disabled]' } },
    leaves: ['8313147988756818: ONECLICK'],
    wire: {
      soap11: {
        sends: template(`
    <recurring:disable>
      <recurring:request>
        <recurring:merchantAccount>DemoMerchant</recurring:merchantAccount>
        <recurring:shopperReference>shopper-1</recurring:shopperReference>
        <recurring:contract>RECURRING, PAYOUT</recurring:contract>
      </recurring:request>
    </recurring:disable>
  `),
        answers: answered11(all),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><contract>PAYOUT,RECURRING</contract><merchantAccount>DemoMerchant</merchantAccount>` +
            '<shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        answers: answered12(all),
      },
      json: {
        sends: '{"contract":"PAYOUT , RECURRING","merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}',
        answers: '{"response":"[all-details-successfully-disabled]"}',
      },
      form: {
        sends: 'contract=PAYOUT%2CRECURRING&merchantAccount=DemoMerchant&shopperReference=shopper-1',
        answers: 'response=%5Ball-details-successfully-disabled%5D',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.contract=PAYOUT,RECURRING&disableRequest.merchantAccount=DemoMerchant' +
          '&disableRequest.shopperReference=shopper-1',
        answers: 'disableResult.response=%5Ball-details-successfully-disabled%5D',
      },
    },
  },
  {
    title: 'a shopper without a contract: 800, also with a detail named',
    operation: 'disable',
    outcome: { refuses: 'contractNotFound' },
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurringDetailReference>' +
            '8415995487234100</ns2:recurringDetailReference><ns2:shopperReference>shopper-2</ns2:shopperReference>' +
            '</ns2:request></ns2:disable>',
        ),
        status: 500,
        answers: fault11('validation 800 Contract not found'),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount><shopperReference>shopper-2` +
            '</shopperReference></request></disable>',
        ),
        status: 400,
        answers: fault12('validation 800 Contract not found'),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurringDetailReference":"8415995487234100","shopperReference":"shopper-2"}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"800","message":"Contract not found","errorType":"validation","pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&shopperReference=nobody',
        status: 422,
        answers:
          'errorType=validation&errorCode=800&message=Contract+not+found&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-2',
        status: 500,
        answers: 'validation 800 Contract not found',
      },
    },
  },
  {
    title: 'a detail that is none of the shopper: 803',
    operation: 'disable',
    outcome: { refuses: 'detailNotFound' },
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurringDetailReference>' +
            '0000000000000000</ns2:recurringDetailReference><ns2:shopperReference>shopper-1</ns2:shopperReference>' +
            '</ns2:request></ns2:disable>',
        ),
        status: 500,
        answers: fault11('validation 803 PaymentDetail not found'),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount><recurringDetailReference>0` +
            '</recurringDetailReference><shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        status: 400,
        answers: fault12('validation 803 PaymentDetail not found'),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurringDetailReference":"8415995487234101","shopperReference":"shopper-1"}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"803","message":"PaymentDetail not found","errorType":"validation","pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&recurringDetailReference=8415995487234101&shopperReference=shopper-1',
        status: 422,
        answers:
          'errorType=validation&errorCode=803&message=PaymentDetail+not+found&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1' +
          '&disableRequest.recurringDetailReference=8415995487234101',
        status: 500,
        answers: 'validation 803 PaymentDetail not found',
      },
    },
  },
  {
    title: 'an empty reference is not the whole contract: 803',
    operation: 'disable',
    outcome: { refuses: 'detailNotFound', fields: ['recurringDetailReference'] },
    wire: {
      soap11: {
        sends: axis(
          `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount><recurringDetailReference/>` +
            '<shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        status: 500,
        answers: fault11('validation 803 PaymentDetail not found'),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount><recurringDetailReference>` +
            '</recurringDetailReference><shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        status: 400,
        answers: fault12('validation 803 PaymentDetail not found'),
      },
      json: {
        sends: '{"merchantAccount":"DemoMerchant","recurringDetailReference":"","shopperReference":"shopper-1"}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"803","message":"PaymentDetail not found","errorType":"validation",' +
          '"invalidFields":[{"name":"/recurringDetailReference","message":"PaymentDetail not found"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&recurringDetailReference&shopperReference=shopper-1',
        status: 422,
        answers:
          'errorType=validation&errorCode=803&message=PaymentDetail+not+found&invalidFields.0.name=recurringDetailReference' +
          '&invalidFields.0.message=PaymentDetail+not+found&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1' +
          '&disableRequest.recurringDetailReference=',
        status: 500,
        answers: 'validation 803 PaymentDetail not found',
      },
    },
  },
  {
    title: 'a contract that is none: 802',
    operation: 'disable',
    outcome: { refuses: 'invalidContract', fields: ['contract'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:contract>ONECLICK,SOMETIMES</ns2:contract><ns2:merchantAccount>DemoMerchant' +
            '</ns2:merchantAccount><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:disable>',
        ),
        status: 500,
        answers: fault11('validation 802 Invalid contract'),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><contract>oneclick</contract><merchantAccount>DemoMerchant</merchantAccount>` +
            '<shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        status: 400,
        answers: fault12('validation 802 Invalid contract'),
      },
      json: {
        sends: '{"contract":"ONECLICK;RECURRING","merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"802","message":"Invalid contract","errorType":"validation",' +
          '"invalidFields":[{"name":"/contract","message":"Invalid contract"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'contract=ONECLICK%2C&merchantAccount=DemoMerchant&shopperReference=shopper-1',
        status: 422,
        answers:
          'errorType=validation&errorCode=802&message=Invalid+contract&invalidFields.0.name=contract' +
          '&invalidFields.0.message=Invalid+contract&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1' +
          '&disableRequest.contract=ALL',
        status: 500,
        answers: 'validation 802 Invalid contract',
      },
    },
  },
];
