/** Cases of notifyShopper. */
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
  php,
  R,
  twelve,
  visa,
} from '../case.ts';

const C = ' xmlns="http://common.services.adyen.com"';

const result = (displayed: string, reference: string, detail: string): string =>
  `<ns1:notifyShopperResponse${ownDeclared}><ns1:result><displayedReference>${displayed}</displayedReference>` +
  '<message>Request Processed Successfully</message><pspReference>PSP0000000000001</pspReference>' +
  `<reference>${reference}</reference><resultCode>Success</resultCode>` +
  '<shopperNotificationReference>DETAIL0000000001</shopperNotificationReference>' +
  `<storedPaymentMethodId>${detail}</storedPaymentMethodId></ns1:result></ns1:notifyShopperResponse>`;

const march = result('exampleDisplayedReference', 'Example reference', '8415995487234100');
const plain = result('notice', 'notice', '8313147988756818');

const unknown = 'validation 803 PaymentDetail not found';
const dateText = 'Inner validation error(s) occurred: billingDate should be in yyyy-MM-dd format';
const noDate = `validation 000 ${dateText}`;

export const cases: readonly Case[] = [
  {
    title: 'the public example: the payment is announced, and no detail changes',
    operation: 'notifyShopper',
    outcome: {
      gives: {
        displayedReference: 'exampleDisplayedReference',
        message: 'Request Processed Successfully',
        pspReference: 'PSP0000000000001',
        reference: 'Example reference',
        resultCode: 'Success',
        shopperNotificationReference: 'DETAIL0000000001',
        storedPaymentMethodId: '8415995487234100',
      },
    },
    leaves: [visa, mc, account],
    wire: {
      soap11: {
        sends: axis(
          `<notifyShopper${R}><request><amount><currency${C}>INR</currency><value${C}>1000</value></amount>` +
            '<billingDate>2021-03-16</billingDate><billingSequenceNumber xsi:nil="true"/>' +
            '<displayedReference>exampleDisplayedReference</displayedReference>' +
            '<merchantAccount>DemoMerchant</merchantAccount><recurringDetailReference xsi:nil="true"/>' +
            '<reference>Example reference</reference><shopperReference>shopper-1</shopperReference>' +
            '<storedPaymentMethodId>8415995487234100</storedPaymentMethodId></request></notifyShopper>',
        ),
        answers: answered11(march),
      },
      soap12: {
        sends: twelve(
          `<notifyShopper${R}><request><amount><currency>INR</currency><value>1000</value></amount>` +
            '<billingDate>2021-03-16</billingDate><displayedReference>exampleDisplayedReference</displayedReference>' +
            '<merchantAccount>DemoMerchant</merchantAccount><reference>Example reference</reference>' +
            '<shopperReference>shopper-1</shopperReference>' +
            '<storedPaymentMethodId>8415995487234100</storedPaymentMethodId></request></notifyShopper>',
        ),
        answers: answered12(march),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","storedPaymentMethodId":"8415995487234100","shopperReference":"shopper-1",' +
          '"amount":{"currency":"INR","value":1000},"billingDate":"2021-03-16","reference":"Example reference",' +
          '"displayedReference":"exampleDisplayedReference"}',
        answers:
          '{"displayedReference":"exampleDisplayedReference","message":"Request Processed Successfully",' +
          '"pspReference":"PSP0000000000001","reference":"Example reference","resultCode":"Success",' +
          '"shopperNotificationReference":"DETAIL0000000001","storedPaymentMethodId":"8415995487234100"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&storedPaymentMethodId=8415995487234100&shopperReference=shopper-1' +
          '&amount.currency=INR&amount.value=1000&billingDate=2021-03-16&reference=Example+reference' +
          '&displayedReference=exampleDisplayedReference',
        answers:
          'displayedReference=exampleDisplayedReference&message=Request+Processed+Successfully' +
          '&pspReference=PSP0000000000001&reference=Example+reference&resultCode=Success' +
          '&shopperNotificationReference=DETAIL0000000001&storedPaymentMethodId=8415995487234100',
      },
      adapter: {
        sends:
          'action=Recurring.notifyShopper&notifyShopperRequest.merchantAccount=DemoMerchant' +
          '&notifyShopperRequest.storedPaymentMethodId=8415995487234100&notifyShopperRequest.shopperReference=shopper-1' +
          '&notifyShopperRequest.amount.currency=INR&notifyShopperRequest.amount.value=1000' +
          '&notifyShopperRequest.billingDate=2021-03-16&notifyShopperRequest.reference=Example+reference' +
          '&notifyShopperRequest.displayedReference=exampleDisplayedReference',
        answers:
          'notifyShopperResult.displayedReference=exampleDisplayedReference' +
          '&notifyShopperResult.message=Request+Processed+Successfully' +
          '&notifyShopperResult.pspReference=PSP0000000000001&notifyShopperResult.reference=Example+reference' +
          '&notifyShopperResult.resultCode=Success' +
          '&notifyShopperResult.shopperNotificationReference=DETAIL0000000001' +
          '&notifyShopperResult.storedPaymentMethodId=8415995487234100',
      },
    },
  },
  {
    title: 'without a displayed reference, the shopper sees the reference',
    operation: 'notifyShopper',
    outcome: {
      gives: {
        displayedReference: 'notice',
        message: 'Request Processed Successfully',
        pspReference: 'PSP0000000000001',
        reference: 'notice',
        resultCode: 'Success',
        shopperNotificationReference: 'DETAIL0000000001',
        storedPaymentMethodId: '8313147988756818',
      },
    },
    leaves: [visa, mc, account],
    wire: {
      soap11: {
        sends: php(
          '<ns2:notifyShopper><ns2:request><ns2:amount><currency xmlns="http://common.services.adyen.com">EUR</currency>' +
            '<value xmlns="http://common.services.adyen.com">0</value></ns2:amount>' +
            '<ns2:merchantAccount>DemoMerchant</ns2:merchantAccount>' +
            '<ns2:recurringDetailReference>8313147988756818</ns2:recurringDetailReference>' +
            '<ns2:reference>notice</ns2:reference><ns2:shopperReference>shopper-1</ns2:shopperReference>' +
            '</ns2:request></ns2:notifyShopper>',
        ),
        answers: answered11(plain),
      },
      soap12: {
        sends: twelve(
          `<notifyShopper${R}><request><amount><currency>EUR</currency><value>0</value></amount>` +
            '<merchantAccount>DemoMerchant</merchantAccount>' +
            '<recurringDetailReference>8313147988756818</recurringDetailReference><reference>notice</reference>' +
            '<shopperReference>shopper-1</shopperReference></request></notifyShopper>',
        ),
        answers: answered12(plain),
      },
      json: {
        sends:
          '{"amount":{"currency":"EUR","value":0},"merchantAccount":"DemoMerchant","reference":"notice",' +
          '"recurringDetailReference":"8313147988756818","shopperReference":"shopper-1"}',
        answers:
          '{"displayedReference":"notice","message":"Request Processed Successfully","pspReference":"PSP0000000000001",' +
          '"reference":"notice","resultCode":"Success","shopperNotificationReference":"DETAIL0000000001",' +
          '"storedPaymentMethodId":"8313147988756818"}',
      },
      form: {
        sends:
          'amount.currency=EUR&amount.value=0&merchantAccount=DemoMerchant&reference=notice' +
          '&recurringDetailReference=8313147988756818&shopperReference=shopper-1',
        answers:
          'displayedReference=notice&message=Request+Processed+Successfully&pspReference=PSP0000000000001' +
          '&reference=notice&resultCode=Success&shopperNotificationReference=DETAIL0000000001' +
          '&storedPaymentMethodId=8313147988756818',
      },
      adapter: {
        sends:
          'action=Recurring.notifyShopper&notifyShopperRequest.amount.currency=EUR&notifyShopperRequest.amount.value=0' +
          '&notifyShopperRequest.merchantAccount=DemoMerchant&notifyShopperRequest.reference=notice' +
          '&notifyShopperRequest.recurringDetailReference=8313147988756818' +
          '&notifyShopperRequest.shopperReference=shopper-1',
        answers:
          'notifyShopperResult.displayedReference=notice&notifyShopperResult.message=Request+Processed+Successfully' +
          '&notifyShopperResult.pspReference=PSP0000000000001&notifyShopperResult.reference=notice' +
          '&notifyShopperResult.resultCode=Success' +
          '&notifyShopperResult.shopperNotificationReference=DETAIL0000000001' +
          '&notifyShopperResult.storedPaymentMethodId=8313147988756818',
      },
    },
  },
  {
    title: 'an unknown token, and two names that differ',
    operation: 'notifyShopper',
    outcome: { refuses: 'detailNotFound' },
    wire: {
      soap11: {
        sends: axis(
          `<notifyShopper${R}><request><amount><currency${C}>INR</currency><value${C}>1234</value></amount>` +
            '<billingDate>2030-12-31</billingDate><billingSequenceNumber>adhoc</billingSequenceNumber>' +
            '<merchantAccount>DemoMerchant</merchantAccount>' +
            '<recurringDetailReference>8314442372419167</recurringDetailReference><reference>r</reference>' +
            '<shopperReference>shopper-1</shopperReference>' +
            '<storedPaymentMethodId>8314442372419167</storedPaymentMethodId></request></notifyShopper>',
        ),
        answers: fault11(unknown),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<notifyShopper${R}><request><amount><currency>INR</currency><value>1234</value></amount>` +
            '<merchantAccount>DemoMerchant</merchantAccount><reference>r</reference>' +
            '<shopperReference>no-shopper</shopperReference>' +
            '<storedPaymentMethodId>8415995487234100</storedPaymentMethodId></request></notifyShopper>',
        ),
        answers: fault12(unknown),
        status: 400,
      },
      json: {
        sends:
          '{"amount":{"currency":"INR","value":1234},"merchantAccount":"DemoMerchant","reference":"r",' +
          '"shopperReference":"shopper-1","recurringDetailReference":"8313147988756818",' +
          '"storedPaymentMethodId":"8415995487234100"}',
        answers:
          '{"status":422,"errorCode":"803","message":"PaymentDetail not found","errorType":"validation",' +
          '"pspReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends:
          'amount.currency=INR&amount.value=1234&merchantAccount=DemoMerchant&reference=r&shopperReference=shopper-1' +
          '&storedPaymentMethodId=8314442372419167',
        answers:
          'errorType=validation&errorCode=803&message=PaymentDetail+not+found&pspReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Recurring.notifyShopper&notifyShopperRequest.amount.currency=INR' +
          '&notifyShopperRequest.amount.value=1234&notifyShopperRequest.merchantAccount=DemoMerchant' +
          '&notifyShopperRequest.reference=r&notifyShopperRequest.shopperReference=shopper-1' +
          '&notifyShopperRequest.storedPaymentMethodId=8314442372419167',
        answers: unknown,
        status: 500,
      },
    },
  },
  {
    title: 'a billing date in another format',
    operation: 'notifyShopper',
    outcome: { refuses: 'invalidBillingDate', fields: ['billingDate'] },
    wire: {
      soap11: {
        sends: axis(
          `<notifyShopper${R}><request><amount><currency${C}>INR</currency><value${C}>1234</value></amount>` +
            '<billingDate>2</billingDate><merchantAccount>DemoMerchant</merchantAccount><reference>r</reference>' +
            '<shopperReference>shopper-1</shopperReference>' +
            '<storedPaymentMethodId>8415995487234100</storedPaymentMethodId></request></notifyShopper>',
        ),
        answers: fault11(noDate),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<notifyShopper${R}><request><amount><currency>INR</currency><value>1234</value></amount>` +
            '<billingDate>2030-13-01</billingDate><merchantAccount>DemoMerchant</merchantAccount>' +
            '<reference>r</reference><shopperReference>shopper-1</shopperReference>' +
            '<storedPaymentMethodId>8415995487234100</storedPaymentMethodId></request></notifyShopper>',
        ),
        answers: fault12(noDate),
        status: 400,
      },
      json: {
        sends:
          '{"amount":{"currency":"INR","value":1234},"billingDate":"2","merchantAccount":"DemoMerchant",' +
          '"reference":"r","shopperReference":"shopper-1","storedPaymentMethodId":"8415995487234100"}',
        answers:
          `{"status":422,"errorCode":"000","message":"${dateText}","errorType":"validation",` +
          `"invalidFields":[{"name":"/billingDate","message":"${dateText}"}],"pspReference":"PSP0000000000001"}`,
        status: 422,
      },
      form: {
        sends:
          'amount.currency=INR&amount.value=1234&billingDate=16-03-2030&merchantAccount=DemoMerchant&reference=r' +
          '&shopperReference=shopper-1&storedPaymentMethodId=8415995487234100',
        answers:
          'errorType=validation&errorCode=000' +
          '&message=Inner+validation+error%28s%29+occurred%3A+billingDate+should+be+in+yyyy-MM-dd+format' +
          '&invalidFields.0.name=billingDate' +
          '&invalidFields.0.message=Inner+validation+error%28s%29+occurred%3A+billingDate+should+be+in+yyyy-MM-dd+format' +
          '&pspReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Recurring.notifyShopper&notifyShopperRequest.amount.currency=INR' +
          '&notifyShopperRequest.amount.value=1234&notifyShopperRequest.billingDate=2030-3-16' +
          '&notifyShopperRequest.merchantAccount=DemoMerchant&notifyShopperRequest.reference=r' +
          '&notifyShopperRequest.shopperReference=shopper-1' +
          '&notifyShopperRequest.storedPaymentMethodId=8415995487234100',
        answers: noDate,
        status: 500,
      },
    },
  },
];
