/** Cases of scheduleAccountUpdater. */
import {
  account,
  answered11,
  answered12,
  axis,
  type Case,
  fault11,
  fault12,
  mc,
  ownDeclared,
  P,
  php,
  R,
  twelve,
  visa,
} from '../case.ts';

const outcome = (result: string): string =>
  `<ns1:scheduleAccountUpdaterResponse${ownDeclared}><ns1:result>` +
  `<pspReference>PSP0000000000001</pspReference><result>${result}</result>` +
  '</ns1:result></ns1:scheduleAccountUpdaterResponse>';

const gives = (result: string): Case['outcome'] => ({ gives: { pspReference: 'PSP0000000000001', result } });

/** A test card by its number, in each format. */
const testCard = (number: string, result: string): Case => ({
  title: `the test card for ${result}`,
  operation: 'scheduleAccountUpdater',
  outcome: gives(result),
  wire: {
    soap11: {
      sends: php(
        '<ns2:scheduleAccountUpdater><ns2:request><ns2:card><ns1:cvc>737</ns1:cvc><ns1:expiryMonth>03</ns1:expiryMonth>' +
          '<ns1:expiryYear>2026</ns1:expiryYear><ns1:holderName>Anna van Dijk</ns1:holderName>' +
          `<ns1:number>${number}</ns1:number></ns2:card><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount>` +
          '<ns2:reference>check-1</ns2:reference></ns2:request></ns2:scheduleAccountUpdater>',
      ),
      answers: answered11(outcome(result)),
    },
    soap12: {
      sends: twelve(
        `<scheduleAccountUpdater${R}><request><reference>check-1</reference><merchantAccount>DemoMerchant</merchantAccount>` +
          `<card><number${P}>${number}</number><expiryMonth>3</expiryMonth><expiryYear>2026</expiryYear>` +
          '<holderName>Anna van Dijk</holderName></card></request></scheduleAccountUpdater>',
      ),
      answers: answered12(outcome(result)),
    },
    json: {
      sends:
        `{"card":{"number":"${number}","expiryMonth":3,"expiryYear":2026,"holderName":"Anna van Dijk"},` +
        '"merchantAccount":"DemoMerchant","reference":"check-1","additionalData":{"a":"b"}}',
      answers: `{"pspReference":"PSP0000000000001","result":"${result}"}`,
    },
    form: {
      sends:
        `card.number=${number}&card.expiryMonth=3&card.expiryYear=2026&card.holderName=Anna+van+Dijk` +
        '&merchantAccount=DemoMerchant&reference=check-1',
      answers: `pspReference=PSP0000000000001&result=${result}`,
    },
    adapter: {
      sends:
        `action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.card.number=${number}` +
        '&scheduleAccountUpdaterRequest.card.expiryMonth=3&scheduleAccountUpdaterRequest.card.expiryYear=2026' +
        '&scheduleAccountUpdaterRequest.card.holderName=Anna&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
        '&scheduleAccountUpdaterRequest.reference=check-1',
      answers: `scheduleAccountUpdaterResult.pspReference=PSP0000000000001&scheduleAccountUpdaterResult.result=${result}`,
    },
  },
});

export const cases: readonly Case[] = [
  {
    title: 'a stored card that was renewed, by its reference',
    operation: 'scheduleAccountUpdater',
    outcome: gives('CardExpiryChanged'),
    wire: {
      soap11: {
        sends: axis(
          `<scheduleAccountUpdater${R}><request><additionalData xsi:nil="true"/><card xsi:nil="true"/>` +
            '<merchantAccount>DemoMerchant</merchantAccount><reference>check-1</reference>' +
            '<selectedRecurringDetailReference>8313147988756818</selectedRecurringDetailReference>' +
            '<shopperReference>shopper-1</shopperReference></request></scheduleAccountUpdater>',
        ),
        answers: answered11(outcome('CardExpiryChanged')),
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><shopperReference>shopper-1</shopperReference><selectedRecurringDetailReference>` +
            '8313147988756818</selectedRecurringDetailReference><reference>check-1</reference>' +
            '<merchantAccount>DemoMerchant</merchantAccount></request></scheduleAccountUpdater>',
        ),
        answers: answered12(outcome('CardExpiryChanged')),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","reference":"check-1","selectedRecurringDetailReference":"8313147988756818",' +
          '"shopperReference":"shopper-1","card":null}',
        answers: '{"pspReference":"PSP0000000000001","result":"CardExpiryChanged"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&reference=check-1&selectedRecurringDetailReference=8313147988756818' +
          '&shopperReference=shopper-1&action=Recurring.scheduleAccountUpdater',
        answers: 'pspReference=PSP0000000000001&result=CardExpiryChanged',
      },
      adapter: {
        sends:
          'action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
          '&scheduleAccountUpdaterRequest.reference=check-1&scheduleAccountUpdaterRequest.shopperReference=shopper-1' +
          '&scheduleAccountUpdaterRequest.selectedRecurringDetailReference=8313147988756818',
        answers:
          'scheduleAccountUpdaterResult.pspReference=PSP0000000000001&scheduleAccountUpdaterResult.result=CardExpiryChanged',
      },
    },
  },
  {
    title: 'a stored card whose account was closed: the detail is disabled',
    operation: 'scheduleAccountUpdater',
    outcome: gives('CloseAccount'),
    leaves: [visa, account],
    wire: {
      soap11: {
        sends: php(
          '<ns2:scheduleAccountUpdater><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount>' +
            '<ns2:reference>check-2</ns2:reference><ns2:selectedRecurringDetailReference>8415995487234100' +
            '</ns2:selectedRecurringDetailReference><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request>' +
            '</ns2:scheduleAccountUpdater>',
        ),
        answers: answered11(outcome('CloseAccount')),
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><merchantAccount>DemoMerchant</merchantAccount><reference>check-2</reference>` +
            '<shopperReference>shopper-1</shopperReference><selectedRecurringDetailReference>8415995487234100' +
            '</selectedRecurringDetailReference></request></scheduleAccountUpdater>',
        ),
        answers: answered12(outcome('CloseAccount')),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","reference":"check-2","shopperReference":"shopper-1",' +
          '"selectedRecurringDetailReference":"8415995487234100"}',
        answers: '{"pspReference":"PSP0000000000001","result":"CloseAccount"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&reference=check-2&shopperReference=shopper-1' +
          '&selectedRecurringDetailReference=8415995487234100',
        answers: 'pspReference=PSP0000000000001&result=CloseAccount',
      },
      adapter: {
        sends:
          'action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
          '&scheduleAccountUpdaterRequest.reference=check-2&scheduleAccountUpdaterRequest.shopperReference=shopper-1' +
          '&scheduleAccountUpdaterRequest.selectedRecurringDetailReference=8415995487234100',
        answers:
          'scheduleAccountUpdaterResult.pspReference=PSP0000000000001&scheduleAccountUpdaterResult.result=CloseAccount',
      },
    },
  },
  {
    title: 'a reference that is no stored card: a result, not a refusal',
    operation: 'scheduleAccountUpdater',
    outcome: gives('Error'),
    wire: {
      soap11: {
        sends: php(
          '<ns2:scheduleAccountUpdater><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount>' +
            '<ns2:reference>check-3</ns2:reference><ns2:selectedRecurringDetailReference>8814232895168272' +
            '</ns2:selectedRecurringDetailReference><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request>' +
            '</ns2:scheduleAccountUpdater>',
        ),
        answers: answered11(outcome('Error')),
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><merchantAccount>DemoMerchant</merchantAccount><reference>check-3</reference>` +
            '<shopperReference>shopper-1</shopperReference><selectedRecurringDetailReference>unheard-of' +
            '</selectedRecurringDetailReference></request></scheduleAccountUpdater>',
        ),
        answers: answered12(outcome('Error')),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","reference":"check-3","shopperReference":"nobody",' +
          '"selectedRecurringDetailReference":"8313147988756818"}',
        answers: '{"pspReference":"PSP0000000000001","result":"Error"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchantNL&reference=check-3&shopperReference=shopper-1' +
          '&selectedRecurringDetailReference=8313147988756818',
        answers: 'pspReference=PSP0000000000001&result=Error',
      },
      adapter: {
        sends:
          'action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
          '&scheduleAccountUpdaterRequest.reference=check-3&scheduleAccountUpdaterRequest.shopperReference=shopper-2' +
          '&scheduleAccountUpdaterRequest.selectedRecurringDetailReference=8313147988756818',
        answers: 'scheduleAccountUpdaterResult.pspReference=PSP0000000000001&scheduleAccountUpdaterResult.result=Error',
      },
    },
  },
  testCard('4000009900000012', 'NoChange'),
  testCard('4000009900000020', 'CardExpiryChanged'),
  testCard('4000009900000038', 'PANChanged'),
  testCard('4000009900000046', 'CloseAccount'),
  testCard('4000009900000053', 'ContactCardAccountHolder'),
  testCard('4000009900000061', 'Success'),
  testCard('4000009900000079', 'Error'),
  {
    title: 'neither a card nor both references',
    operation: 'scheduleAccountUpdater',
    outcome: { refuses: 'missingCardToUpdate', fields: [''] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:scheduleAccountUpdater><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount>' +
            '<ns2:reference>check-4</ns2:reference><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request>' +
            '</ns2:scheduleAccountUpdater>',
        ),
        answers: fault11('validation 927 Missing card or shopperReference &amp; selectedRecurringDetailReference'),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><merchantAccount>DemoMerchant</merchantAccount><reference>check-4</reference>` +
            '<card/><selectedRecurringDetailReference>8313147988756818</selectedRecurringDetailReference></request>' +
            '</scheduleAccountUpdater>',
        ),
        answers: fault12('validation 927 Missing card or shopperReference &amp; selectedRecurringDetailReference'),
        status: 400,
      },
      json: {
        sends: '{"merchantAccount":"DemoMerchant","reference":"check-4"}',
        answers:
          '{"status":422,"errorCode":"927","message":"Missing card or shopperReference & selectedRecurringDetailReference",' +
          '"errorType":"validation","invalidFields":[{"name":"",' +
          '"message":"Missing card or shopperReference & selectedRecurringDetailReference"}],"pspReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&reference=check-4&shopperReference=shopper-1',
        answers:
          'errorType=validation&errorCode=927&message=Missing+card+or+shopperReference+%26+selectedRecurringDetailReference' +
          '&invalidFields.0.name=&invalidFields.0.message=Missing+card+or+shopperReference+%26+selectedRecurringDetailReference' +
          '&pspReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
          '&scheduleAccountUpdaterRequest.reference=check-4',
        answers: 'validation 927 Missing card or shopperReference & selectedRecurringDetailReference',
        status: 500,
      },
    },
  },
  {
    title: 'a month that is none: it is quoted',
    operation: 'scheduleAccountUpdater',
    outcome: { refuses: 'invalidExpiryMonth', fields: ['card.expiryMonth'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:scheduleAccountUpdater><ns2:request><ns2:card><ns1:expiryMonth>99</ns1:expiryMonth><ns1:expiryYear>2030' +
            '</ns1:expiryYear><ns1:holderName>A</ns1:holderName><ns1:number>4111111111111111</ns1:number></ns2:card>' +
            '<ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:reference>check-5</ns2:reference></ns2:request>' +
            '</ns2:scheduleAccountUpdater>',
        ),
        answers: fault11('validation 141 Expiry month should be between 1 and 12 inclusive: 99'),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><card><expiryMonth>99</expiryMonth><expiryYear>2030</expiryYear>` +
            '<holderName>A</holderName><number>4111111111111111</number></card><merchantAccount>DemoMerchant' +
            '</merchantAccount><reference>check-5</reference></request></scheduleAccountUpdater>',
        ),
        answers: fault12('validation 141 Expiry month should be between 1 and 12 inclusive: 99'),
        status: 400,
      },
      json: {
        sends:
          '{"card":{"number":"4111111111111111","expiryMonth":"99","expiryYear":"2030","holderName":"A"},' +
          '"merchantAccount":"DemoMerchant","reference":"check-5"}',
        answers:
          '{"status":422,"errorCode":"141","message":"Expiry month should be between 1 and 12 inclusive: 99",' +
          '"errorType":"validation","invalidFields":[{"name":"/card/expiryMonth",' +
          '"message":"Expiry month should be between 1 and 12 inclusive: 99"}],"pspReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends:
          'card.number=4111111111111111&card.expiryMonth=99&card.expiryYear=2030&card.holderName=A' +
          '&merchantAccount=DemoMerchant&reference=check-5',
        answers:
          'errorType=validation&errorCode=141&message=Expiry+month+should+be+between+1+and+12+inclusive%3A+99' +
          '&invalidFields.0.name=card.expiryMonth' +
          '&invalidFields.0.message=Expiry+month+should+be+between+1+and+12+inclusive%3A+99' +
          '&pspReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.card.number=4111111111111111' +
          '&scheduleAccountUpdaterRequest.card.expiryMonth=99&scheduleAccountUpdaterRequest.card.expiryYear=2030' +
          '&scheduleAccountUpdaterRequest.card.holderName=A&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
          '&scheduleAccountUpdaterRequest.reference=check-5',
        answers: 'validation 141 Expiry month should be between 1 and 12 inclusive: 99',
        status: 500,
      },
    },
  },
  {
    title: 'no reference of the merchant',
    operation: 'scheduleAccountUpdater',
    outcome: { refuses: 'missingReference', fields: ['reference'] },
    leaves: [visa, mc, account],
    wire: {
      soap11: {
        sends: axis(
          `<scheduleAccountUpdater${R}><request><card xsi:nil="true"/><merchantAccount>DemoMerchant</merchantAccount>` +
            '<reference xsi:nil="true"/><selectedRecurringDetailReference>8415995487234100</selectedRecurringDetailReference>' +
            '<shopperReference>shopper-1</shopperReference></request></scheduleAccountUpdater>',
        ),
        answers: fault11('validation 130 Reference Missing'),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><merchantAccount>DemoMerchant</merchantAccount><reference/>` +
            '<selectedRecurringDetailReference>8415995487234100</selectedRecurringDetailReference>' +
            '<shopperReference>shopper-1</shopperReference></request></scheduleAccountUpdater>',
        ),
        answers: fault12('validation 130 Reference Missing'),
        status: 400,
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1",' +
          '"selectedRecurringDetailReference":"8415995487234100"}',
        answers:
          '{"status":422,"errorCode":"130","message":"Reference Missing","errorType":"validation",' +
          '"invalidFields":[{"name":"/reference","message":"Reference Missing"}],"pspReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&shopperReference=shopper-1&selectedRecurringDetailReference=8415995487234100' +
          '&reference=',
        answers:
          'errorType=validation&errorCode=130&message=Reference+Missing&invalidFields.0.name=reference' +
          '&invalidFields.0.message=Reference+Missing&pspReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Recurring.scheduleAccountUpdater&scheduleAccountUpdaterRequest.merchantAccount=DemoMerchant' +
          '&scheduleAccountUpdaterRequest.shopperReference=shopper-1' +
          '&scheduleAccountUpdaterRequest.selectedRecurringDetailReference=8415995487234100',
        answers: 'validation 130 Reference Missing',
        status: 500,
      },
    },
  },
];
