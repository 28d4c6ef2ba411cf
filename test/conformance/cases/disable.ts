/** Cases of disable. */
import {
  type Access,
  account,
  answered11,
  answered12,
  type Case,
  ownDeclared,
  php,
  R,
  template,
  twelve,
  visa,
} from '../case.ts';
import { printed } from '../print-recurring.ts';

const response = (text: string): string =>
  `<ns1:disableResponse${ownDeclared}><ns1:result><response>${text}</response></ns1:result></ns1:disableResponse>`;

const one = response('[detail-successfully-disabled]');

const shopper = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

export const access: Access = { roles: ['recurring', 'recurring:disable'], readOnly: false, since: 1 };

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
  printed({
    title: 'some uses only: a detail with none left goes, the others keep theirs',
    operation: 'disable',
    asks: { contract: 'PAYOUT,RECURRING', ...shopper },
    except: {
      soap11: template(`
    <recurring:disable>
      <recurring:request>
        <recurring:merchantAccount>DemoMerchant</recurring:merchantAccount>
        <recurring:shopperReference>shopper-1</recurring:shopperReference>
        <recurring:contract>RECURRING, PAYOUT</recurring:contract>
      </recurring:request>
    </recurring:disable>
  `),
      json: { contract: 'PAYOUT , RECURRING' },
    },
    gives: { response: '[all-details-successfully-disabled]' },
    leaves: ['8313147988756818: ONECLICK'],
  }),
  printed({
    title: 'the whole contract, with the reference nil, null or left out',
    operation: 'disable',
    client: 'axis',
    asks: {
      contract: null,
      merchantAccount: 'DemoMerchant',
      recurringDetailReference: null,
      shopperReference: 'shopper-1',
    },
    except: {
      soap12: twelve(
        `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount>` +
          '<shopperReference>shopper-1</shopperReference></request></disable>',
      ),
    },
    gives: { response: '[all-details-successfully-disabled]' },
    leaves: [],
  }),
  printed({
    title: 'a shopper without a contract: 800, also with a detail named',
    operation: 'disable',
    asks: { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-2' },
    except: {
      soap11: { recurringDetailReference: '8415995487234100' },
      json: { recurringDetailReference: '8415995487234100' },
      form: { shopperReference: 'nobody' },
    },
    refuses: 'contractNotFound',
    says: 'validation 800 Contract not found',
  }),
  printed({
    title: 'a detail that is none of the shopper: 803',
    operation: 'disable',
    asks: { ...shopper, recurringDetailReference: '8415995487234101' },
    except: { soap11: { recurringDetailReference: '0000000000000000' }, soap12: { recurringDetailReference: '0' } },
    refuses: 'detailNotFound',
    says: 'validation 803 PaymentDetail not found',
  }),
  printed({
    title: 'an empty reference is not the whole contract: 803',
    operation: 'disable',
    asks: { ...shopper, recurringDetailReference: '' },
    except: {
      soap11: php(
        '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurringDetailReference/>' +
          '<ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:disable>',
      ),
      form: 'merchantAccount=DemoMerchant&recurringDetailReference&shopperReference=shopper-1',
    },
    refuses: 'detailNotFound',
    says: 'validation 803 PaymentDetail not found',
    fields: { recurringDetailReference: 'PaymentDetail not found: 1 to 80 characters' },
  }),
  printed({
    title: 'a contract that is none: 802',
    operation: 'disable',
    asks: { contract: 'ALL', ...shopper },
    except: {
      soap11: { contract: 'ONECLICK,SOMETIMES' },
      soap12: { contract: 'oneclick' },
      json: { contract: 'ONECLICK;RECURRING' },
      form: { contract: 'ONECLICK,' },
    },
    refuses: 'invalidContract',
    says: 'validation 802 Invalid contract',
    fields: { contract: 'Invalid contract: one of ONECLICK, RECURRING, PAYOUT, or several with commas between them' },
  }),
];
