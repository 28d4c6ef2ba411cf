/** Cases of notifyShopper. */
import {
  type Access,
  account,
  answered11,
  answered12,
  axis,
  type Case,
  mc,
  ownDeclared,
  R,
  twelve,
  visa,
} from '../case.ts';
import { printed } from '../print-recurring.ts';

const march =
  `<ns1:notifyShopperResponse${ownDeclared}><ns1:result><displayedReference>exampleDisplayedReference</displayedReference>` +
  '<message>Request Processed Successfully</message><pspReference>PSP0000000000001</pspReference>' +
  `<reference>Example reference</reference><resultCode>Success</resultCode>` +
  '<shopperNotificationReference>DETAIL0000000001</shopperNotificationReference>' +
  `<storedPaymentMethodId>8415995487234100</storedPaymentMethodId></ns1:result></ns1:notifyShopperResponse>`;

const noDate = 'Inner validation error(s) occurred: billingDate should be in yyyy-MM-dd format';
const asks = {
  amount: { currency: 'INR', value: 1234 },
  merchantAccount: 'DemoMerchant',
  reference: 'r',
  shopperReference: 'shopper-1',
};

export const access: Access = { roles: ['recurring', 'recurring:notify'], readOnly: false, since: 25 };

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
          `<notifyShopper${R}><request><amount><currency xmlns="http://common.services.adyen.com">INR</currency><value xmlns="http://common.services.adyen.com">1000</value></amount>` +
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
  printed({
    title: 'without a displayed reference, the shopper sees the reference',
    operation: 'notifyShopper',
    asks: {
      ...asks,
      amount: { currency: 'EUR', value: 0 },
      recurringDetailReference: '8313147988756818',
      reference: 'notice',
    },
    gives: {
      displayedReference: 'notice',
      message: 'Request Processed Successfully',
      pspReference: 'PSP0000000000001',
      reference: 'notice',
      resultCode: 'Success',
      shopperNotificationReference: 'DETAIL0000000001',
      storedPaymentMethodId: '8313147988756818',
    },
    leaves: [visa, mc, account],
  }),
  printed({
    title: 'an unknown token, and two names that differ',
    operation: 'notifyShopper',
    client: 'axis',
    asks: { ...asks, storedPaymentMethodId: '8314442372419167' },
    except: {
      soap11: {
        billingDate: '2030-12-31',
        billingSequenceNumber: 'adhoc',
        recurringDetailReference: '8314442372419167',
      },
      soap12: { shopperReference: 'no-shopper', storedPaymentMethodId: '8415995487234100' },
      json: { recurringDetailReference: '8313147988756818', storedPaymentMethodId: '8415995487234100' },
    },
    refuses: 'tokenNotFound',
    says: 'validation 803 This token not found',
  }),
  printed({
    title: 'a billing date in another format',
    operation: 'notifyShopper',
    client: 'axis',
    asks: { ...asks, billingDate: '2', storedPaymentMethodId: '8415995487234100' },
    except: {
      soap12: { billingDate: '2030-13-01' },
      form: { billingDate: '16-03-2030' },
      adapter: { billingDate: '2030-3-16' },
    },
    refuses: 'invalidBillingDate',
    says: `validation 000 ${noDate}`,
    fields: {
      billingDate: `${noDate}: of the pattern [0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]), such as 2030-03-16 (The day of the payment: yyyy-MM-dd)`,
    },
  }),
];
