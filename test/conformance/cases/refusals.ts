/** Cases that are refused before the domain is asked: who calls, for which merchant account, with which fields. */
import { type Case, fault11, fault12, php, R, twelve } from '../case.ts';

const request = {
  soap11: php(
    '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount>' +
      '<ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:disable>',
  ),
  soap12: twelve(
    `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount><shopperReference>shopper-1</shopperReference>` +
      '</request></disable>',
  ),
  json: '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}',
  form: 'merchantAccount=DemoMerchant&shopperReference=shopper-1',
  adapter:
    'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1',
} as const;

const unauthorized: Case['wire'] = {
  soap11: { sends: request.soap11, status: 401, answers: fault11('security 000 HTTP Status Response - Unauthorized') },
  soap12: { sends: request.soap12, status: 401, answers: fault12('security 000 HTTP Status Response - Unauthorized') },
  json: {
    sends: request.json,
    status: 401,
    answers:
      '{"status":401,"errorCode":"000","message":"HTTP Status Response - Unauthorized","errorType":"security",' +
      '"pspReference":"PSP0000000000001"}',
  },
  form: {
    sends: request.form,
    status: 401,
    answers:
      'errorType=security&errorCode=000&message=HTTP+Status+Response+-+Unauthorized&pspReference=PSP0000000000001&status=401',
  },
  adapter: { sends: request.adapter, status: 401, answers: 'security 000 HTTP Status Response - Unauthorized' },
};

export const cases: readonly Case[] = [
  {
    title: 'no credentials: 401',
    operation: 'disable',
    as: 'anonymous',
    outcome: { refuses: 'unauthorized' },
    wire: unauthorized,
  },
  {
    title: 'a wrong secret: 401, in the same words',
    operation: 'disable',
    as: 'wrong',
    outcome: { refuses: 'unauthorized' },
    wire: unauthorized,
  },
  {
    title: 'a credential without the role: 403, code 010',
    operation: 'disable',
    as: 'withoutRole',
    outcome: { refuses: 'notAllowed' },
    wire: {
      soap11: { sends: request.soap11, status: 500, answers: fault11('security 010 Not allowed') },
      soap12: { sends: request.soap12, status: 400, answers: fault12('security 010 Not allowed') },
      json: {
        sends: request.json,
        status: 403,
        answers:
          '{"status":403,"errorCode":"010","message":"Not allowed","errorType":"security","pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: request.form,
        status: 403,
        answers: 'errorType=security&errorCode=010&message=Not+allowed&pspReference=PSP0000000000001&status=403',
      },
      adapter: { sends: request.adapter, status: 500, answers: 'security 010 Not allowed' },
    },
  },
  {
    title: "another company's merchant account: 403, code 901",
    operation: 'disable',
    as: 'other',
    outcome: { refuses: 'foreignMerchantAccount' },
    wire: {
      soap11: { sends: request.soap11, status: 500, answers: fault11('security 901 Invalid Merchant Account') },
      soap12: { sends: request.soap12, status: 400, answers: fault12('security 901 Invalid Merchant Account') },
      json: {
        sends: request.json,
        status: 403,
        answers:
          '{"status":403,"errorCode":"901","message":"Invalid Merchant Account","errorType":"security","pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: request.form,
        status: 403,
        answers:
          'errorType=security&errorCode=901&message=Invalid+Merchant+Account&pspReference=PSP0000000000001&status=403',
      },
      adapter: { sends: request.adapter, status: 500, answers: 'security 901 Invalid Merchant Account' },
    },
  },
  {
    title: 'no merchant account: 422, code 901',
    operation: 'disable',
    as: 'key',
    outcome: { refuses: 'invalidMerchantAccount', fields: ['merchantAccount'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:disable>',
        ),
        status: 500,
        answers: fault11('validation 901 Invalid Merchant Account'),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><merchantAccount/><shopperReference>shopper-1</shopperReference></request></disable>`,
        ),
        status: 400,
        answers: fault12('validation 901 Invalid Merchant Account'),
      },
      json: {
        sends: '{"merchantAccount":"","shopperReference":"shopper-1"}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"901","message":"Invalid Merchant Account","errorType":"validation",' +
          '"invalidFields":[{"name":"/merchantAccount","message":"Invalid Merchant Account"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'shopperReference=shopper-1',
        status: 422,
        answers:
          'errorType=validation&errorCode=901&message=Invalid+Merchant+Account&invalidFields.0.name=merchantAccount' +
          '&invalidFields.0.message=Invalid+Merchant+Account&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends: 'action=Recurring.disable&disableRequest.shopperReference=shopper-1',
        status: 500,
        answers: 'validation 901 Invalid Merchant Account',
      },
    },
  },
  {
    title: 'a misspelt reference does not disable the whole contract: 702, naming it',
    operation: 'disable',
    outcome: { refuses: 'unknownField', fields: ['recurringDetailRefrence'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:disable><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurringDetailRefrence>' +
            '8415995487234100</ns2:recurringDetailRefrence><ns2:shopperReference>shopper-1</ns2:shopperReference>' +
            '</ns2:request></ns2:disable>',
        ),
        status: 500,
        answers: fault11(
          'validation 702 Structure of DisableRequest contains the following unknown fields: [recurringDetailRefrence]',
        ),
      },
      soap12: {
        sends: twelve(
          `<disable${R}><request><merchantAccount>DemoMerchant</merchantAccount><recurringDetailRefrence>` +
            '8415995487234100</recurringDetailRefrence><shopperReference>shopper-1</shopperReference></request></disable>',
        ),
        status: 400,
        answers: fault12(
          'validation 702 Structure of DisableRequest contains the following unknown fields: [recurringDetailRefrence]',
        ),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurringDetailRefrence":"8415995487234100","shopperReference":"shopper-1"}',
        status: 400,
        answers:
          '{"status":400,"errorCode":"702","message":"Structure of DisableRequest contains the following unknown fields: ' +
          '[recurringDetailRefrence]","errorType":"validation","invalidFields":[{"name":"/recurringDetailRefrence","message":' +
          '"Structure of DisableRequest contains the following unknown fields: [recurringDetailRefrence]"}],' +
          '"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&recurringDetailRefrence=8415995487234100&shopperReference=shopper-1',
        status: 400,
        answers:
          'errorType=validation&errorCode=702&message=Structure+of+DisableRequest+contains+the+following+unknown+fields%3A+' +
          '%5BrecurringDetailRefrence%5D&invalidFields.0.name=recurringDetailRefrence&invalidFields.0.message=Structure+of+' +
          'DisableRequest+contains+the+following+unknown+fields%3A+%5BrecurringDetailRefrence%5D' +
          '&pspReference=PSP0000000000001&status=400',
      },
      adapter: {
        sends:
          'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=shopper-1' +
          '&disableRequest.recurringDetailRefrence=8415995487234100',
        status: 500,
        answers:
          'validation 702 Structure of DisableRequest contains the following unknown fields: [recurringDetailRefrence]',
      },
    },
  },
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
          'validation 702 Structure of DisableRequest contains the following unknown fields: [colour]' +
            '; also /Envelope/Body/disable/request/merchantAccount: Invalid Merchant Account' +
            '; also /Envelope/Body/disable/request/contract: Invalid contract' +
            "; also /Envelope/Body/disable/request/shopperReference: Required field 'shopperReference' is not provided.",
        ),
      },
      soap12: {
        sends: twelve(`<disable${R}><request><colour>red</colour><contract>NEVER</contract></request></disable>`),
        status: 400,
        answers: fault12(
          'validation 702 Structure of DisableRequest contains the following unknown fields: [colour]' +
            '; also /Envelope/Body/disable/request/merchantAccount: Invalid Merchant Account' +
            '; also /Envelope/Body/disable/request/contract: Invalid contract' +
            "; also /Envelope/Body/disable/request/shopperReference: Required field 'shopperReference' is not provided.",
        ),
      },
      json: {
        sends: '{"colour":{"red":[1,2]},"contract":"NEVER"}',
        status: 400,
        answers:
          '{"status":400,"errorCode":"702","message":"Structure of DisableRequest contains the following unknown fields: [colour]",' +
          '"errorType":"validation","invalidFields":[{"name":"/colour","message":"Structure of DisableRequest contains the following ' +
          'unknown fields: [colour]"},{"name":"/merchantAccount","message":"Invalid Merchant Account"},{"name":"/contract",' +
          '"message":"Invalid contract"},{"name":"/shopperReference","message":"Required field \'shopperReference\' is not provided."}],' +
          '"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'colour.red=1&contract=NEVER',
        status: 400,
        answers:
          'errorType=validation&errorCode=702&message=Structure+of+DisableRequest+contains+the+following+unknown+fields%3A+%5Bcolour%5D' +
          '&invalidFields.0.name=colour&invalidFields.0.message=Structure+of+DisableRequest+contains+the+following+unknown+fields' +
          '%3A+%5Bcolour%5D&invalidFields.1.name=merchantAccount&invalidFields.1.message=Invalid+Merchant+Account' +
          '&invalidFields.2.name=contract&invalidFields.2.message=Invalid+contract&invalidFields.3.name=shopperReference' +
          '&invalidFields.3.message=Required+field+%27shopperReference%27+is+not+provided.&pspReference=PSP0000000000001&status=400',
      },
      adapter: {
        sends: 'action=Recurring.disable&disableRequest.contract=NEVER&disableRequest.colour=red',
        status: 500,
        answers:
          'validation 702 Structure of DisableRequest contains the following unknown fields: [colour]' +
          '; also disableRequest.merchantAccount: Invalid Merchant Account; also disableRequest.contract: Invalid contract' +
          "; also disableRequest.shopperReference: Required field 'shopperReference' is not provided.",
      },
    },
  },
];
