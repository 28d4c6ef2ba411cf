/** Cases of the orders, a service of a user: order A-1001 is placed already. */
import { answered11, answered12, axis, fault11, fault12, type ServiceCase, twelve } from './case.ts';

type OrderCase = ServiceCase<
  'getOrder' | 'placeOrder',
  'orderNotFound' | 'foreignShop' | 'orderExists' | 'invalidField'
>;

/** The default namespace, as callers declare it. */
const O = ' xmlns="urn:example:orders"';

/** As PHP's SoapClient writes it. */
const php = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ns1="urn:example:orders"><SOAP-ENV:Body>${content}</SOAP-ENV:Body></SOAP-ENV:Envelope>
`;

const found =
  '<ns1:getOrderResponse xmlns:ns1="urn:example:orders" xmlns="urn:example:orders"><shop>amsterdam</shop>' +
  '<number>A-1001</number><item>Bicycle &lt;red&gt; &amp; pump</item><quantity>2</quantity></ns1:getOrderResponse>';
const placed =
  '<ns1:placeOrderResponse xmlns:ns1="urn:example:orders" xmlns="urn:example:orders"><status>placed</status>' +
  '</ns1:placeOrderResponse>';

const first = 'A-1001: 2 Bicycle <red> & pump';

/** All issues, in the coordinates of the caller. */
const wrong = (before: string): string =>
  `validation 192 Invalid field number; also ${before}item: Required field item not specified; also ${before}quantity: Invalid field quantity`;

export const cases: readonly OrderCase[] = [
  {
    title: 'an order that was placed',
    operation: 'getOrder',
    outcome: { gives: { shop: 'amsterdam', number: 'A-1001', item: 'Bicycle <red> & pump', quantity: 2 } },
    wire: {
      soap11: {
        sends: php('<ns1:getOrder><ns1:shop>amsterdam</ns1:shop><ns1:number>A-1001</ns1:number></ns1:getOrder>'),
        answers: answered11(found),
      },
      soap12: {
        sends: twelve(`<getOrder${O}><number>A-1001</number><shop>amsterdam</shop></getOrder>`),
        answers: answered12(found),
      },
      json: {
        sends: '{"shop":"amsterdam","number":"A-1001"}',
        answers: '{"shop":"amsterdam","number":"A-1001","item":"Bicycle <red> & pump","quantity":2}',
      },
      form: {
        sends: 'number=A-1001&shop=amsterdam',
        answers: 'shop=amsterdam&number=A-1001&item=Bicycle+%3Cred%3E+%26+pump&quantity=2',
      },
      adapter: {
        sends: 'action=Orders.getOrder&orderRequest.shop=amsterdam&orderRequest.number=A-1001',
        answers: 'order.shop=amsterdam&order.number=A-1001&order.item=Bicycle+%3Cred%3E+%26+pump&order.quantity=2',
      },
    },
  },
  {
    title: 'an order that does not exist',
    operation: 'getOrder',
    outcome: { refuses: 'orderNotFound' },
    wire: {
      soap11: {
        sends: axis(`<getOrder${O}><shop>amsterdam</shop><number>B-7</number></getOrder>`),
        answers: fault11('validation 1002 Order not found'),
        status: 500,
      },
      soap12: {
        sends: twelve(`<getOrder${O}><shop>amsterdam</shop><number>B-7</number></getOrder>`),
        answers: fault12('validation 1002 Order not found'),
        status: 400,
      },
      json: {
        sends: '{"number":"B-7","shop":"amsterdam"}',
        answers:
          '{"status":422,"errorCode":"1002","message":"Order not found","errorType":"validation","requestReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends: 'shop=amsterdam&number=B-7',
        answers:
          'errorType=validation&errorCode=1002&message=Order+not+found&requestReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends: 'action=Orders.getOrder&orderRequest.shop=amsterdam&orderRequest.number=B-7',
        answers: 'validation 1002 Order not found',
        status: 500,
      },
    },
  },
  {
    title: 'a shop that the credential may not name',
    operation: 'getOrder',
    outcome: { refuses: 'foreignShop' },
    wire: {
      soap11: {
        sends: axis(`<getOrder${O}><shop>berlin</shop><number>A-1001</number></getOrder>`),
        answers: fault11('security 1001 Shop not allowed'),
        status: 500,
      },
      soap12: {
        sends: twelve(`<getOrder${O}><shop>berlin</shop><number>A-1001</number></getOrder>`),
        answers: fault12('security 1001 Shop not allowed'),
        status: 400,
      },
      json: {
        sends: '{"shop":"berlin","number":"A-1001"}',
        answers:
          '{"status":403,"errorCode":"1001","message":"Shop not allowed","errorType":"security","requestReference":"PSP0000000000001"}',
        status: 403,
      },
      form: {
        sends: 'shop=berlin&number=A-1001',
        answers:
          'errorType=security&errorCode=1001&message=Shop+not+allowed&requestReference=PSP0000000000001&status=403',
        status: 403,
      },
      adapter: {
        sends: 'action=Orders.getOrder&orderRequest.shop=berlin&orderRequest.number=A-1001',
        answers: 'security 1001 Shop not allowed',
        status: 500,
      },
    },
  },
  {
    title: 'a new order',
    operation: 'placeOrder',
    outcome: { gives: { status: 'placed' } },
    leaves: [first, 'A-1002: 999 Läufer'],
    wire: {
      soap11: {
        sends: php(
          '<ns1:placeOrder><ns1:shop>amsterdam</ns1:shop><ns1:number>A-1002</ns1:number>' +
            '<ns1:item>Läufer</ns1:item><ns1:quantity>999</ns1:quantity></ns1:placeOrder>',
        ),
        answers: answered11(placed),
      },
      soap12: {
        sends: twelve(
          `<placeOrder${O}><shop>amsterdam</shop><number>A-1002</number><item>L&#228;ufer</item>` +
            '<quantity>0999</quantity></placeOrder>',
        ),
        answers: answered12(placed),
      },
      json: {
        sends: '{"shop":"amsterdam","number":"A-1002","item":"L\\u00e4ufer","quantity":999}',
        answers: '{"status":"placed"}',
      },
      form: {
        sends: 'shop=amsterdam&number=A-1002&item=L%C3%A4ufer&quantity=999',
        answers: 'status=placed',
      },
      adapter: {
        sends:
          'action=Orders.placeOrder&newOrder.shop=amsterdam&newOrder.number=A-1002&newOrder.item=L%C3%A4ufer' +
          '&newOrder.quantity=999',
        answers: 'placedOrder.status=placed',
      },
    },
  },
  {
    title: 'another order',
    operation: 'placeOrder',
    outcome: { gives: { status: 'placed' } },
    leaves: [first, 'A-1003: 1 Bell'],
    wire: {
      soap11: {
        sends: axis(
          `<placeOrder${O}><quantity>1</quantity><item>Bell</item><number>A-1003</number><shop>amsterdam</shop>` +
            '</placeOrder>',
        ),
        answers: answered11(placed),
      },
      soap12: {
        sends: twelve(
          `<o:placeOrder xmlns:o="urn:example:orders"><o:shop>amsterdam</o:shop><o:number>A-1003</o:number>` +
            '<o:item><![CDATA[Bell]]></o:item><o:quantity>1</o:quantity></o:placeOrder>',
        ),
        answers: answered12(placed),
      },
      json: {
        sends: '{"quantity":1,"item":"Bell","number":"A-1003","shop":"amsterdam"}',
        answers: '{"status":"placed"}',
      },
      form: { sends: 'quantity=1&item=Bell&number=A-1003&shop=amsterdam', answers: 'status=placed' },
      adapter: {
        sends:
          'newOrder.shop=amsterdam&newOrder.number=A-1003&newOrder.item=Bell&newOrder.quantity=1&action=Orders.placeOrder',
        answers: 'placedOrder.status=placed',
      },
    },
  },
  {
    title: 'a number that is used already',
    operation: 'placeOrder',
    outcome: { refuses: 'orderExists' },
    wire: {
      soap11: {
        sends: php(
          '<ns1:placeOrder><ns1:shop>amsterdam</ns1:shop><ns1:number>A-1001</ns1:number>' +
            '<ns1:item>Bell</ns1:item><ns1:quantity>1</ns1:quantity></ns1:placeOrder>',
        ),
        answers: fault11('validation 1003 Order number already used'),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<placeOrder${O}><shop>amsterdam</shop><number>A-1001</number><item>Bell</item><quantity>1</quantity>` +
            '</placeOrder>',
        ),
        answers: fault12('validation 1003 Order number already used'),
        status: 400,
      },
      json: {
        sends: '{"shop":"amsterdam","number":"A-1001","item":"Bell","quantity":1}',
        answers:
          '{"status":422,"errorCode":"1003","message":"Order number already used","errorType":"validation","requestReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends: 'shop=amsterdam&number=A-1001&item=Bell&quantity=1',
        answers:
          'errorType=validation&errorCode=1003&message=Order+number+already+used&requestReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Orders.placeOrder&newOrder.shop=amsterdam&newOrder.number=A-1001&newOrder.item=Bell&newOrder.quantity=1',
        answers: 'validation 1003 Order number already used',
        status: 500,
      },
    },
  },
  {
    title: 'every wrong field at once: a number in lower case, an empty item, a quantity of zero',
    operation: 'placeOrder',
    outcome: { refuses: 'invalidField', fields: ['number', 'item', 'quantity'] },
    wire: {
      soap11: {
        sends: axis(
          `<placeOrder${O}><shop>amsterdam</shop><number>a-1</number><item/><quantity>0</quantity>` + '</placeOrder>',
        ),
        answers: fault11(wrong('/Envelope/Body/placeOrder/')),
        status: 500,
      },
      soap12: {
        sends: twelve(
          `<placeOrder${O}><shop>amsterdam</shop><number>a-1</number><item></item><quantity>0</quantity>` +
            '</placeOrder>',
        ),
        answers: fault12(wrong('/Envelope/Body/placeOrder/')),
        status: 400,
      },
      json: {
        sends: '{"shop":"amsterdam","number":"a-1","item":"","quantity":0}',
        answers:
          '{"status":422,"errorCode":"192","message":"Invalid field number","errorType":"validation","invalidFields":' +
          '[{"name":"/number","message":"Invalid field number"},{"name":"/item","message":"Required field item not specified"},' +
          '{"name":"/quantity","message":"Invalid field quantity"}],"requestReference":"PSP0000000000001"}',
        status: 422,
      },
      form: {
        sends: 'shop=amsterdam&number=a-1&item=&quantity=0',
        answers:
          'errorType=validation&errorCode=192&message=Invalid+field+number&invalidFields.0.name=number' +
          '&invalidFields.0.message=Invalid+field+number&invalidFields.1.name=item' +
          '&invalidFields.1.message=Required+field+item+not+specified&invalidFields.2.name=quantity' +
          '&invalidFields.2.message=Invalid+field+quantity&requestReference=PSP0000000000001&status=422',
        status: 422,
      },
      adapter: {
        sends:
          'action=Orders.placeOrder&newOrder.shop=amsterdam&newOrder.number=a-1&newOrder.item=&newOrder.quantity=0',
        answers: wrong('newOrder.'),
        status: 500,
      },
    },
  },
];
