/** Cases of scheduleAccountUpdater. */
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

const renewed =
  `<ns1:scheduleAccountUpdaterResponse${ownDeclared}><ns1:result>` +
  `<pspReference>PSP0000000000001</pspReference><result>CardExpiryChanged</result>` +
  '</ns1:result></ns1:scheduleAccountUpdaterResponse>';

const stored = {
  merchantAccount: 'DemoMerchant',
  reference: 'check-2',
  selectedRecurringDetailReference: '8415995487234100',
  shopperReference: 'shopper-1',
};
const other = '8313147988756818';

/** A test card by its number. */
const testCard = (number: string, result: string): Case =>
  printed({
    title: `the test card for ${result}`,
    operation: 'scheduleAccountUpdater',
    asks: {
      card: { expiryMonth: 3, expiryYear: 2026, holderName: 'Anna van Dijk', number },
      merchantAccount: 'DemoMerchant',
      reference: 'check-1',
    },
    except: {
      soap11: { card: { cvc: '737', expiryMonth: '03', expiryYear: '2026', holderName: 'Anna van Dijk', number } },
      json: { additionalData: { a: 'b' } },
    },
    gives: { pspReference: 'PSP0000000000001', result },
  });

export const access: Access = { roles: ['recurring', 'recurring:update'], readOnly: false, since: 2 };

export const cases: readonly Case[] = [
  {
    title: 'a stored card that was renewed, by its reference',
    operation: 'scheduleAccountUpdater',
    outcome: { gives: { pspReference: 'PSP0000000000001', result: 'CardExpiryChanged' } },
    wire: {
      soap11: {
        sends: axis(
          `<scheduleAccountUpdater${R}><request><additionalData xsi:nil="true"/><card xsi:nil="true"/>` +
            '<merchantAccount>DemoMerchant</merchantAccount><reference>check-1</reference>' +
            '<selectedRecurringDetailReference>8313147988756818</selectedRecurringDetailReference>' +
            '<shopperReference>shopper-1</shopperReference></request></scheduleAccountUpdater>',
        ),
        answers: answered11(renewed),
      },
      soap12: {
        sends: twelve(
          `<scheduleAccountUpdater${R}><request><shopperReference>shopper-1</shopperReference><selectedRecurringDetailReference>` +
            '8313147988756818</selectedRecurringDetailReference><reference>check-1</reference>' +
            '<merchantAccount>DemoMerchant</merchantAccount></request></scheduleAccountUpdater>',
        ),
        answers: answered12(renewed),
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
  printed({
    title: 'a stored card whose account was closed: the detail is disabled',
    operation: 'scheduleAccountUpdater',
    asks: stored,
    gives: { pspReference: 'PSP0000000000001', result: 'CloseAccount' },
    leaves: [visa, account],
  }),
  printed({
    title: 'a reference that is no stored card: a result, not a refusal',
    operation: 'scheduleAccountUpdater',
    asks: stored,
    except: {
      soap11: { selectedRecurringDetailReference: '8814232895168272' },
      soap12: { selectedRecurringDetailReference: 'unheard-of' },
      json: { selectedRecurringDetailReference: other, shopperReference: 'nobody' },
      form: { merchantAccount: 'DemoMerchantNL', selectedRecurringDetailReference: other },
      adapter: { selectedRecurringDetailReference: other, shopperReference: 'shopper-2' },
    },
    gives: { pspReference: 'PSP0000000000001', result: 'Error' },
  }),
  testCard('4000009900000012', 'NoChange'),
  testCard('4000009900000020', 'CardExpiryChanged'),
  testCard('4000009900000038', 'PANChanged'),
  testCard('4000009900000046', 'CloseAccount'),
  testCard('4000009900000053', 'ContactCardAccountHolder'),
  testCard('4000009900000061', 'Success'),
  testCard('4000009900000079', 'Error'),
  printed({
    title: 'neither a card nor both references',
    operation: 'scheduleAccountUpdater',
    asks: { merchantAccount: 'DemoMerchant', reference: 'check-4' },
    except: {
      soap11: { shopperReference: 'shopper-1' },
      soap12: { card: {}, selectedRecurringDetailReference: other },
      form: { shopperReference: 'shopper-1' },
    },
    refuses: 'missingCardToUpdate',
    says: 'validation 927 Missing card or shopperReference & selectedRecurringDetailReference',
    fields: { '': 'Missing card or shopperReference & selectedRecurringDetailReference' },
  }),
  printed({
    title: 'a month that is none: it is quoted',
    operation: 'scheduleAccountUpdater',
    asks: {
      card: { expiryMonth: '99', expiryYear: '2030', holderName: 'A', number: '4111111111111111' },
      merchantAccount: 'DemoMerchant',
      reference: 'check-5',
    },
    refuses: 'invalidExpiryMonth',
    says: 'validation 141 Expiry month should be between 1 and 12 inclusive: 99',
    fields: {
      'card.expiryMonth':
        'Expiry month should be between 1 and 12 inclusive: 99: of the pattern 0?[1-9]|1[0-2], such as 3 (The month in which the card expires, 1 to 12)',
    },
  }),
  printed({
    title: 'no reference of the merchant',
    operation: 'scheduleAccountUpdater',
    client: 'axis',
    asks: { ...stored, card: null, reference: null },
    except: {
      form: 'merchantAccount=DemoMerchant&shopperReference=shopper-1&selectedRecurringDetailReference=8415995487234100&reference=',
    },
    refuses: 'missingReference',
    says: 'validation 130 Reference Missing',
    fields: { reference: 'Reference Missing: 1 to 256 characters' },
    leaves: [visa, mc, account],
  }),
];
