/** Cases of members that Triglyph ignores: empty unknown ones, and those of other versions and of known clients. */
import { account, axis, type Case, mc, P, R, twelve, visa } from '../case.ts';
import { printed } from '../print-recurring.ts';

/** The members of a request that disables one detail, as each format writes them. */
const fields = (detail: string) =>
  `<merchantAccount>DemoMerchant</merchantAccount><recurringDetailReference>${detail}</recurringDetailReference>` +
  '<shopperReference>shopper-1</shopperReference>';
const members = (detail: string) =>
  `"merchantAccount":"DemoMerchant","recurringDetailReference":"${detail}","shopperReference":"shopper-1"`;
const pairs = (detail: string, prefix = '') =>
  `${prefix}merchantAccount=DemoMerchant&${prefix}recurringDetailReference=${detail}&${prefix}shopperReference=shopper-1`;

const visaReference = '8313147988756818';

const card = { expiryMonth: 8, expiryYear: 2032, holderName: 'Anna & Co', number: '4111111111111111' };
const library = { applicationInfo: { adyenLibrary: { name: 'x' } } };

export const cases: readonly Case[] = [
  printed({
    title: 'unknown members that are nil, null, blank or empty at any depth are ignored',
    operation: 'disable',
    asks: {},
    except: {
      soap11: axis(
        `<disable${R}><request><colour xsi:nil="true"/><size/><shape>\n </shape>${fields(visaReference)}` +
          '<owner><name xsi:nil="true"/><address><city/></address></owner></request></disable>',
      ),
      soap12: twelve(
        `<disable${R}><request><colour xsi:nil="1"/>${fields(visaReference)}<x:size xmlns:x="urn:other"/></request></disable>`,
      ),
      json: `{"colour":null,"size":"","shape":" ",${members(visaReference)},"owner":{"name":null,"addresses":[{"city":""},[]]}}`,
      form: `colour=&shape=+&${pairs(visaReference)}&owner.name=&owner.address.city`,
      adapter: `action=Recurring.disable&${pairs(visaReference, 'disableRequest.')}&disableRequest.colour=&disableRequest.owner.name=&size=`,
    },
    gives: { response: '[detail-successfully-disabled]' },
    leaves: [mc, account],
  }),
  printed({
    title: 'members that the Python library sends with every request are ignored',
    operation: 'disable',
    asks: {
      merchantAccount: 'DemoMerchant',
      recurringDetailReference: '8814232895168272',
      reference: 'r',
      shopperEmail: 'a@b.c',
      shopperReference: 'shopper-1',
    },
    except: { soap12: library, json: library },
    gives: { response: '[detail-successfully-disabled]' },
    leaves: [visa, mc],
  }),
  printed({
    title: 'the brand and the billing address of a card, and members of version 12 and 40, are ignored',
    operation: 'storeToken',
    asks: {
      card: { billingAddress: { city: 'Berlin' }, brand: 'visa', ...card },
      merchantAccount: 'DemoMerchant',
      recurring: { contract: 'PAYOUT' },
      shopperReference: 'shopper-1',
    },
    except: {
      soap11: axis(
        `<storeToken${R}><request><card><billingAddress xsi:nil="true"${P}/><brand${P}>visa</brand>` +
          `<expiryMonth${P}>08</expiryMonth><expiryYear${P}>2032</expiryYear><holderName${P}>Anna &amp; Co</holderName>` +
          `<number${P}>4111111111111111</number></card><merchantAccount>DemoMerchant</merchantAccount>` +
          `<params><entry><key>a</key><value>b</value></entry></params><pspEchoData>x</pspEchoData>` +
          `<recurring><contract${P}>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference>` +
          '<shopperStatement>y</shopperStatement></request></storeToken>',
      ),
      soap12: { recurring: { contract: 'PAYOUT', recurringFrequency: 30 }, returnUrl: 'http://localhost/' },
      json: { params: { a: 'b' }, recurring: { contract: 'PAYOUT', recurringExpiry: '2032-01-01T00:00:00Z' } },
      form: { shopperIP: '127.0.0.1' },
    },
    gives: {
      alias: 'P962471748121832',
      aliasType: 'Default',
      pspReference: 'PSP0000000000001',
      rechargeReference: 'PSP0000000000001',
      recurringDetailReference: '8313147988756818',
      result: 'Success',
    },
    leaves: ['8313147988756818: ONECLICK,RECURRING,PAYOUT', mc, account],
  }),
];
