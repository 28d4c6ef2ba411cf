/** Cases of storeToken. */
import {
  account,
  answered11,
  answered12,
  axis,
  type Case,
  fault11,
  fault12,
  mc,
  nil,
  ownDeclared,
  P,
  php,
  R,
  twelve,
  visa,
} from '../case.ts';

const cardStored =
  `<ns1:storeTokenResponse${ownDeclared}><ns1:result>` +
  `<alias>P962471748121832</alias><aliasType>Default</aliasType><pspReference>PSP0000000000001</pspReference><rechargeReference>PSP0000000000001</rechargeReference>` +
  `<recurringDetailReference>8313147988756818</recurringDetailReference><result>Success</result>` +
  '</ns1:result></ns1:storeTokenResponse>';

const accountStored =
  `<ns1:storeTokenResponse${ownDeclared}><ns1:result>` +
  `${nil('alias', 'aliasType')}<pspReference>PSP0000000000001</pspReference><rechargeReference>PSP0000000000001</rechargeReference><recurringDetailReference>DETAIL0000000001</recurringDetailReference>` +
  `<result>Success</result></ns1:result></ns1:storeTokenResponse>`;

export const cases: readonly Case[] = [
  {
    title: 'a card that is there already, for another use: the detail keeps its reference and gains the use',
    operation: 'storeToken',
    outcome: {
      gives: {
        alias: 'P962471748121832',
        aliasType: 'Default',
        pspReference: 'PSP0000000000001',
        rechargeReference: 'PSP0000000000001',
        recurringDetailReference: '8313147988756818',
        result: 'Success',
      },
    },
    leaves: ['8313147988756818: ONECLICK,RECURRING,PAYOUT', mc, account],
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:card><ns1:cvc>737</ns1:cvc><ns1:expiryMonth>08</ns1:expiryMonth>' +
            '<ns1:expiryYear>2032</ns1:expiryYear><ns1:holderName>Anna &amp; Co</ns1:holderName><ns1:number>4111111111111111' +
            '</ns1:number></ns2:card><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurring><ns1:contract>' +
            'PAYOUT</ns1:contract></ns2:recurring><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        answers: answered11(cardStored),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card><number${P}>4111111111111111</number><expiryMonth>8</expiryMonth><expiryYear>2032` +
            '</expiryYear><holderName>Anna &amp; Co</holderName><issueNumber xsi:nil="true"/></card><merchantAccount>DemoMerchant' +
            '</merchantAccount><recurring><contract>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference>' +
            '<additionalData><entry><key xsi:type="xsd:string" xmlns:xsd="http://www.w3.org/2001/XMLSchema">a.b</key>' +
            '<value>1</value></entry></additionalData></request></storeToken>',
        ),
        answers: answered12(cardStored),
      },
      json: {
        sends:
          '{"card":{"cvc":"737","expiryMonth":8,"expiryYear":2032,"holderName":"Anna & Co","number":"4111111111111111"},' +
          '"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1",' +
          '"shopperIP":"127.0.0.1","additionalData":{"a.b":"1"}}',
        answers:
          '{"alias":"P962471748121832","aliasType":"Default","pspReference":"PSP0000000000001","rechargeReference":"PSP0000000000001",' +
          '"recurringDetailReference":"8313147988756818","result":"Success"}',
      },
      form: {
        sends:
          'card.cvc=737&card.expiryMonth=8&card.expiryYear=2032&card.holderName=Anna+%26+Co&card.number=4111111111111111' +
          '&merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&additionalData.a.b=1',
        answers:
          'alias=P962471748121832&aliasType=Default&pspReference=PSP0000000000001&rechargeReference=PSP0000000000001' +
          '&recurringDetailReference=8313147988756818&result=Success',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.card.expiryMonth=08&storeTokenRequest.card.expiryYear=2032' +
          '&storeTokenRequest.card.holderName=Anna+%26+Co&storeTokenRequest.card.number=4111111111111111' +
          '&storeTokenRequest.merchantAccount=DemoMerchant&storeTokenRequest.recurring.contract=PAYOUT' +
          '&storeTokenRequest.shopperReference=shopper-1',
        answers:
          'storeTokenResult.alias=P962471748121832&storeTokenResult.aliasType=Default' +
          '&storeTokenResult.pspReference=PSP0000000000001&storeTokenResult.rechargeReference=PSP0000000000001&storeTokenResult.recurringDetailReference=8313147988756818' +
          '&storeTokenResult.result=Success',
      },
    },
  },
  {
    title: 'a bank account: a new detail, without an alias',
    operation: 'storeToken',
    outcome: {
      gives: {
        pspReference: 'PSP0000000000001',
        rechargeReference: 'PSP0000000000001',
        recurringDetailReference: 'DETAIL0000000001',
        result: 'Success',
      },
    },
    leaves: [visa, mc, account, 'DETAIL0000000001: RECURRING,PAYOUT'],
    wire: {
      soap11: {
        sends: axis(
          `<storeToken${R}><request><additionalData xsi:nil="true"/><bank><iban${P}>DE89370400440532013000</iban>` +
            `<ownerName${P}>Ánna "A" van Dijk</ownerName></bank><card xsi:nil="true"/><merchantAccount>DemoMerchant` +
            `</merchantAccount><recurring><contract${P}>RECURRING,PAYOUT</contract></recurring><shopperReference>shopper-1` +
            '</shopperReference></request></storeToken>',
        ),
        answers: answered11(accountStored),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><shopperReference>shopper-1</shopperReference><recurring><contract>PAYOUT,RECURRING` +
            '</contract></recurring><merchantAccount>DemoMerchant</merchantAccount><card/><bank><ownerName>&#193;nna</ownerName>' +
            '<iban>DE89370400440532013000</iban></bank></request></storeToken>',
        ),
        answers: answered12(accountStored),
      },
      json: {
        sends:
          '{"bank":{"iban":"DE89370400440532013000","ownerName":"\\u00c1nna"},"card":{},"elv":null,"merchantAccount":"DemoMerchant",' +
          '"recurring":{"contract":"RECURRING,PAYOUT"},"shopperReference":"shopper-1"}',
        answers:
          '{"pspReference":"PSP0000000000001","rechargeReference":"PSP0000000000001","recurringDetailReference":"DETAIL0000000001","result":"Success"}',
      },
      form: {
        sends:
          'bank.iban=DE89370400440532013000&bank.ownerName=%C3%81nna&merchantAccount=DemoMerchant' +
          '&recurring.contract=RECURRING,PAYOUT&shopperReference=shopper-1&card.number=',
        answers:
          'pspReference=PSP0000000000001&rechargeReference=PSP0000000000001&recurringDetailReference=DETAIL0000000001&result=Success',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.bank.iban=DE89370400440532013000' +
          '&storeTokenRequest.bank.ownerName=%c3%81nna&storeTokenRequest.merchantAccount=DemoMerchant' +
          '&storeTokenRequest.recurring.contract=RECURRING%2cPAYOUT&storeTokenRequest.shopperReference=shopper-1',
        answers:
          'storeTokenResult.pspReference=PSP0000000000001&storeTokenResult.rechargeReference=PSP0000000000001&storeTokenResult.recurringDetailReference=DETAIL0000000001' +
          '&storeTokenResult.result=Success',
      },
    },
  },
  {
    title: 'neither a card nor an account: 927',
    operation: 'storeToken',
    outcome: { refuses: 'missingPaymentDetails', fields: [''] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurring><ns1:contract>' +
            'PAYOUT</ns1:contract></ns2:recurring><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        status: 500,
        answers: fault11('validation 927 Missing payment details'),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card/><bank xsi:nil="true"/><merchantAccount>DemoMerchant</merchantAccount><recurring>` +
            '<contract>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference></request></storeToken>',
        ),
        status: 400,
        answers: fault12('validation 927 Missing payment details'),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1","card":{"cvc":null}}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"927","message":"Missing payment details","errorType":"validation",' +
          '"invalidFields":[{"name":"","message":"Missing payment details"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends: 'merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1',
        status: 422,
        answers:
          'errorType=validation&errorCode=927&message=Missing+payment+details&invalidFields.0.name=' +
          '&invalidFields.0.message=Missing+payment+details&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.merchantAccount=DemoMerchant' +
          '&storeTokenRequest.recurring.contract=PAYOUT&storeTokenRequest.shopperReference=shopper-1',
        status: 500,
        answers: 'validation 927 Missing payment details',
      },
    },
  },
  {
    title: 'a card that holds no longer: 129, found out by the domain',
    operation: 'storeToken',
    outcome: { refuses: 'invalidExpiry', fields: ['card.expiryMonth'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:card><ns1:expiryMonth>12</ns1:expiryMonth><ns1:expiryYear>2025</ns1:expiryYear>' +
            '<ns1:holderName>Anna</ns1:holderName><ns1:number>4111111111111111</ns1:number></ns2:card><ns2:merchantAccount>' +
            'DemoMerchant</ns2:merchantAccount><ns2:recurring><ns1:contract>RECURRING</ns1:contract></ns2:recurring>' +
            '<ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        status: 500,
        answers: fault11('validation 129 Expiry Date Invalid'),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card><expiryMonth>12</expiryMonth><expiryYear>2025</expiryYear><holderName>Anna` +
            '</holderName><number>4111111111111111</number></card><merchantAccount>DemoMerchant</merchantAccount><recurring>' +
            '<contract>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference></request></storeToken>',
        ),
        status: 400,
        answers: fault12('validation 129 Expiry Date Invalid'),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1",' +
          '"card":{"expiryMonth":"12","expiryYear":"2025","holderName":"Anna","number":"4111111111111111"}}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"129","message":"Expiry Date Invalid","errorType":"validation",' +
          '"invalidFields":[{"name":"/card/expiryMonth","message":"Expiry Date Invalid"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&card.expiryMonth=12' +
          '&card.expiryYear=2025&card.holderName=Anna&card.number=4111111111111111',
        status: 422,
        answers:
          'errorType=validation&errorCode=129&message=Expiry+Date+Invalid&invalidFields.0.name=card.expiryMonth' +
          '&invalidFields.0.message=Expiry+Date+Invalid&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.merchantAccount=DemoMerchant&storeTokenRequest.shopperReference=shopper-1' +
          '&storeTokenRequest.recurring.contract=PAYOUT&storeTokenRequest.card.expiryMonth=12&storeTokenRequest.card.expiryYear=2025' +
          '&storeTokenRequest.card.holderName=Anna&storeTokenRequest.card.number=4111111111111111',
        status: 500,
        answers: 'validation 129 Expiry Date Invalid',
      },
    },
  },
  {
    title: 'four things wrong with a card at once: 103, 129, 128 and 101, each where it stands',
    operation: 'storeToken',
    outcome: { refuses: 'invalidCvc', fields: ['card.cvc', 'card.expiryYear', 'card.holderName', 'card.number'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:card><ns1:cvc>1234x</ns1:cvc><ns1:expiryMonth>12</ns1:expiryMonth><ns1:expiryYear>30' +
            '</ns1:expiryYear><ns1:number>4111111111111112</ns1:number></ns2:card><ns2:merchantAccount>DemoMerchant' +
            '</ns2:merchantAccount><ns2:recurring><ns1:contract>RECURRING</ns1:contract></ns2:recurring>' +
            '<ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        status: 500,
        answers: fault11(
          'validation 103 CVC is not the right length' +
            '; also /Envelope/Body/storeToken/request/card/expiryYear: Expiry Date Invalid' +
            "; also /Envelope/Body/storeToken/request/card/holderName: Required field 'card.holderName' is not provided." +
            '; also /Envelope/Body/storeToken/request/card/number: Invalid card number',
        ),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card><cvc>1234x</cvc><expiryMonth>12</expiryMonth><expiryYear>30</expiryYear>` +
            '<number>4111111111111112</number></card><merchantAccount>DemoMerchant</merchantAccount><recurring>' +
            '<contract>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference></request></storeToken>',
        ),
        status: 400,
        answers: fault12(
          'validation 103 CVC is not the right length' +
            '; also /Envelope/Body/storeToken/request/card/expiryYear: Expiry Date Invalid' +
            "; also /Envelope/Body/storeToken/request/card/holderName: Required field 'card.holderName' is not provided." +
            '; also /Envelope/Body/storeToken/request/card/number: Invalid card number',
        ),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1",' +
          '"card":{"cvc":"1234x","expiryMonth":"12","expiryYear":"30","number":"4111111111111112"}}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"103","message":"CVC is not the right length","errorType":"validation","invalidFields":[' +
          '{"name":"/card/cvc","message":"CVC is not the right length"},{"name":"/card/expiryYear","message":"Expiry Date Invalid"},' +
          '{"name":"/card/holderName","message":"Required field \'card.holderName\' is not provided."},' +
          '{"name":"/card/number","message":"Invalid card number"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&card.cvc=1234x&card.expiryMonth=12' +
          '&card.expiryYear=30&card.number=4111111111111112',
        status: 422,
        answers:
          'errorType=validation&errorCode=103&message=CVC+is+not+the+right+length' +
          '&invalidFields.0.name=card.cvc&invalidFields.0.message=CVC+is+not+the+right+length' +
          '&invalidFields.1.name=card.expiryYear&invalidFields.1.message=Expiry+Date+Invalid' +
          '&invalidFields.2.name=card.holderName&invalidFields.2.message=Required+field+%27card.holderName%27+is+not+provided.' +
          '&invalidFields.3.name=card.number&invalidFields.3.message=Invalid+card+number' +
          '&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.merchantAccount=DemoMerchant&storeTokenRequest.shopperReference=shopper-1' +
          '&storeTokenRequest.recurring.contract=PAYOUT&storeTokenRequest.card.cvc=1234x&storeTokenRequest.card.expiryMonth=12' +
          '&storeTokenRequest.card.expiryYear=30&storeTokenRequest.card.number=4111111111111112',
        status: 500,
        answers:
          'validation 103 CVC is not the right length; also storeTokenRequest.card.expiryYear: Expiry Date Invalid' +
          "; also storeTokenRequest.card.holderName: Required field 'card.holderName' is not provided." +
          '; also storeTokenRequest.card.number: Invalid card number',
      },
    },
  },
  {
    title: 'a security code of five digits, which no brand has: 103',
    operation: 'storeToken',
    outcome: { refuses: 'invalidCvc', fields: ['card.cvc'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:card><ns1:cvc>12345</ns1:cvc><ns1:expiryMonth>12</ns1:expiryMonth><ns1:expiryYear>2030' +
            '</ns1:expiryYear><ns1:holderName>Anna</ns1:holderName><ns1:number>4111111111111111</ns1:number></ns2:card>' +
            '<ns2:merchantAccount>DemoMerchant</ns2:merchantAccount><ns2:recurring><ns1:contract>RECURRING</ns1:contract>' +
            '</ns2:recurring><ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        status: 500,
        answers: fault11('validation 103 CVC is not the right length'),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card><cvc>12345</cvc><expiryMonth>12</expiryMonth><expiryYear>2030</expiryYear>` +
            '<holderName>Anna</holderName><number>4111111111111111</number></card><merchantAccount>DemoMerchant</merchantAccount>' +
            '<recurring><contract>PAYOUT</contract></recurring><shopperReference>shopper-1</shopperReference></request></storeToken>',
        ),
        status: 400,
        answers: fault12('validation 103 CVC is not the right length'),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1",' +
          '"card":{"cvc":"12345","expiryMonth":"12","expiryYear":"2030","holderName":"Anna","number":"4111111111111111"}}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"103","message":"CVC is not the right length","errorType":"validation","invalidFields":[' +
          '{"name":"/card/cvc","message":"CVC is not the right length"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&card.cvc=12345&card.expiryMonth=12' +
          '&card.expiryYear=2030&card.holderName=Anna&card.number=4111111111111111',
        status: 422,
        answers:
          'errorType=validation&errorCode=103&message=CVC+is+not+the+right+length' +
          '&invalidFields.0.name=card.cvc&invalidFields.0.message=CVC+is+not+the+right+length' +
          '&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.merchantAccount=DemoMerchant&storeTokenRequest.shopperReference=shopper-1' +
          '&storeTokenRequest.recurring.contract=PAYOUT&storeTokenRequest.card.cvc=12345&storeTokenRequest.card.expiryMonth=12' +
          '&storeTokenRequest.card.expiryYear=2030&storeTokenRequest.card.holderName=Anna' +
          '&storeTokenRequest.card.number=4111111111111111',
        status: 500,
        answers: 'validation 103 CVC is not the right length',
      },
    },
  },
  {
    title: 'a card number that is none: 101, as it has always been answered',
    operation: 'storeToken',
    outcome: { refuses: 'invalidCardNumber', fields: ['card.number'] },
    wire: {
      soap11: {
        sends: php(
          '<ns2:storeToken><ns2:request><ns2:card><ns1:expiryMonth>12</ns1:expiryMonth><ns1:expiryYear>2030</ns1:expiryYear>' +
            '<ns1:holderName>Anna</ns1:holderName><ns1:number>4111 1111 1111 1111</ns1:number></ns2:card><ns2:merchantAccount>' +
            'DemoMerchant</ns2:merchantAccount><ns2:recurring><ns1:contract>RECURRING</ns1:contract></ns2:recurring>' +
            '<ns2:shopperReference>shopper-1</ns2:shopperReference></ns2:request></ns2:storeToken>',
        ),
        status: 500,
        answers: fault11('validation 101 Invalid card number'),
      },
      soap12: {
        sends: twelve(
          `<storeToken${R}><request><card><expiryMonth>12</expiryMonth><expiryYear>2030</expiryYear><holderName>Anna` +
            '</holderName></card><merchantAccount>DemoMerchant</merchantAccount><recurring><contract>PAYOUT</contract></recurring>' +
            '<shopperReference>shopper-1</shopperReference></request></storeToken>',
        ),
        status: 400,
        answers: fault12('validation 101 Invalid card number'),
      },
      json: {
        sends:
          '{"merchantAccount":"DemoMerchant","recurring":{"contract":"PAYOUT"},"shopperReference":"shopper-1",' +
          '"card":{"expiryMonth":"12","expiryYear":"2030","holderName":"Anna","number":"4111111111111112"}}',
        status: 422,
        answers:
          '{"status":422,"errorCode":"101","message":"Invalid card number","errorType":"validation",' +
          '"invalidFields":[{"name":"/card/number","message":"Invalid card number"}],"pspReference":"PSP0000000000001"}',
      },
      form: {
        sends:
          'merchantAccount=DemoMerchant&recurring.contract=PAYOUT&shopperReference=shopper-1&card.expiryMonth=12' +
          '&card.expiryYear=2030&card.holderName=Anna&card.number=4%31111111111111112',
        status: 422,
        answers:
          'errorType=validation&errorCode=101&message=Invalid+card+number&invalidFields.0.name=card.number' +
          '&invalidFields.0.message=Invalid+card+number&pspReference=PSP0000000000001&status=422',
      },
      adapter: {
        sends:
          'action=Recurring.storeToken&storeTokenRequest.merchantAccount=DemoMerchant&storeTokenRequest.shopperReference=shopper-1' +
          '&storeTokenRequest.recurring.contract=PAYOUT&storeTokenRequest.card.expiryMonth=12&storeTokenRequest.card.expiryYear=2030' +
          '&storeTokenRequest.card.holderName=Anna&storeTokenRequest.card.number=4111111111111112',
        status: 500,
        answers: 'validation 101 Invalid card number',
      },
    },
  },
];
