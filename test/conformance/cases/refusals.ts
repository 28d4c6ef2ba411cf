/** Cases that are refused before the domain is asked: who calls, for which merchant account, with which fields. */
import { type Case, fault11, fault12, php, R, twelve } from '../case.ts';
import { printed } from '../print-recurring.ts';

const request = {
  operation: 'disable',
  asks: { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' },
} as const;
const unauthorized = {
  refuses: 'unauthorized',
  says: 'security 000 HTTP Status Response - Unauthorized',
  status: 401,
  advice: {
    name: 'Authorization',
    message:
      'send an API key in the header X-API-Key, or a user name and its password as HTTP Basic, that the operator of this service gave you',
  },
} as const;
const known = 'known are contract, merchantAccount, recurringDetailReference, shopperReference';
const account = '1 to 80 characters';
const foreign = 'send a merchantAccount for which this credential acts, or ask the operator of this service to add it';
const contracts = 'one of ONECLICK, RECURRING, PAYOUT, or several with commas between them';
/** Of a request with a member too many and three wrong ones. */
const wrongElements = [
  [
    '/Envelope/Body/disable/request/colour',
    `Structure of DisableRequest contains the following unknown fields: [colour]: ${known}`,
  ],
  ['/Envelope/Body/disable/request/merchantAccount', `Invalid Merchant Account: ${account}`],
  ['/Envelope/Body/disable/request/contract', `Invalid contract: ${contracts}`],
  ['/Envelope/Body/disable/request/shopperReference', "Required field 'shopperReference' is not provided."],
] as const;
const encoded = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
const misspelt = 'Structure of DisableRequest contains the following unknown fields: [recurringDetailRefrence]';

export const cases: readonly Case[] = [
  printed({ title: 'no credentials: 401', as: 'anonymous', ...request, ...unauthorized }),
  printed({ title: 'a wrong secret: 401, in the same words', as: 'wrong', ...request, ...unauthorized }),
  printed({
    title: 'a credential without the role: 403, code 010',
    as: 'withoutRole',
    ...request,
    refuses: 'notAllowed',
    says: 'security 010 Not allowed',
    status: 403,
    advice: {
      name: 'Authorization',
      message: 'this credential may not call disable: ask the operator of this service to allow it',
    },
  }),
  printed({
    title: "another company's merchant account: 403, code 901",
    as: 'other',
    ...request,
    refuses: 'foreignMerchantAccount',
    says: 'security 901 Invalid Merchant Account',
    status: 403,
    fields: { merchantAccount: `Invalid Merchant Account: ${foreign}` },
  }),
  printed({
    title: 'no merchant account: 422, code 901',
    operation: 'disable',
    as: 'key',
    asks: { shopperReference: 'shopper-1' },
    except: { soap12: { merchantAccount: '' }, json: { merchantAccount: '' } },
    refuses: 'invalidMerchantAccount',
    says: 'validation 901 Invalid Merchant Account',
    fields: { merchantAccount: `Invalid Merchant Account: ${account}` },
  }),
  printed({
    title: 'a misspelt reference does not disable the whole contract: 702, naming it',
    operation: 'disable',
    asks: { ...request.asks, recurringDetailRefrence: '8415995487234100' },
    refuses: 'unknownField',
    says: `validation 702 ${misspelt}`,
    fields: { recurringDetailRefrence: `${misspelt}: ${known}` },
    status: 400,
  }),
  {
    title: 'several things wrong at once: structure first, then the account, then the fields in their order',
    operation: 'disable',
    outcome: {
      refuses: 'unknownField',
      fields: ['colour', 'merchantAccount', 'contract', 'shopperReference'],
    },
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:contract>NEVER</ns2:contract><ns2:colour>red</ns2:colour></ns2:request></ns2:disable>',
        ),
        status: 500,
        answers: fault11(
          'validation 702 Structure of DisableRequest contains the following unknown fields: [colour]',
          'Server',
          wrongElements,
        ),
      },
      soap12: {
        sends: twelve(`<disable${R}><request><colour>red</colour><contract>NEVER</contract></request></disable>`),
        status: 400,
        answers: fault12(
          'validation 702 Structure of DisableRequest contains the following unknown fields: [colour]',
          'Sender',
          wrongElements,
        ),
      },
      json: {
        sends: '{"colour":{"red":[1,2]},"contract":"NEVER"}',
        status: 400,
        answers:
          '{"status":400,"errorCode":"702","message":"Structure of DisableRequest contains the following unknown fields: [colour]",' +
          '"errorType":"validation","invalidFields":[{"name":"/colour","message":"Structure of DisableRequest contains the following ' +
          `unknown fields: [colour]: ${known}"},{"name":"/merchantAccount","message":"Invalid Merchant Account: ${account}"},{"name":"/contract",` +
          `"message":"Invalid contract: ${contracts}"},` +
          '{"name":"/shopperReference","message":"Required field \'shopperReference\' is not provided."}],' +
          '"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'colour.red=1&contract=NEVER',
        status: 400,
        answers:
          'errorType=validation&errorCode=702&message=Structure+of+DisableRequest+contains+the+following+unknown+fields%3A+%5Bcolour%5D' +
          '&invalidFields.0.name=colour&invalidFields.0.message=Structure+of+DisableRequest+contains+the+following+unknown+fields' +
          `%3A+%5Bcolour%5D%3A+${encoded(known)}&invalidFields.1.name=merchantAccount` +
          `&invalidFields.1.message=Invalid+Merchant+Account%3A+${encoded(account)}` +
          `&invalidFields.2.name=contract&invalidFields.2.message=Invalid+contract%3A+${encoded(contracts)}` +
          '&invalidFields.3.name=shopperReference' +
          '&invalidFields.3.message=Required+field+%27shopperReference%27+is+not+provided.&pspReference=PSP0000000000001&status=400',
      },
      adapter: {
        sends: 'action=Recurring.disable&disableRequest.contract=NEVER&disableRequest.colour=red',
        status: 500,
        answers: 'validation 702 Structure of DisableRequest contains the following unknown fields: [colour]',
        invalidFields:
          `disableRequest.colour=Structure+of+DisableRequest+contains+the+following+unknown+fields%3A+%5Bcolour%5D%3A+${encoded(known)}` +
          `&disableRequest.merchantAccount=Invalid+Merchant+Account%3A+${encoded(account)}` +
          `&disableRequest.contract=Invalid+contract%3A+${encoded(contracts)}` +
          '&disableRequest.shopperReference=Required+field+%27shopperReference%27+is+not+provided.',
      },
    },
  },
];
