/** Cases of the orders, a service of a user: order A-1001 is placed already. */
import { answered11, answered12, type ServiceCase, twelve } from './case.ts';
import { createPrinter } from './print-case.ts';

type Names = 'getOrder' | 'placeOrder';
type Refusals = 'orderNotFound' | 'foreignShop' | 'orderExists' | 'invalidField';

const printed = createPrinter<Names, Refusals, string, unknown>({
  namespace: 'urn:example:orders',
  hasPart: false,
  name: 'Orders',
  messages: (operation) => (operation === 'getOrder' ? ['orderRequest', 'order'] : ['newOrder', 'placedOrder']),
  reference: 'requestReference',
  details: {
    403: ['security/unauthorized', 'Forbidden'],
    422: ['general/invalid-field-value', 'Invalid information provided'],
  },
});

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

const first = 'A-1001: 2 Bicycle <red> & pump';
const bell = { shop: 'amsterdam', number: 'A-1001', item: 'Bell', quantity: 1 };

export const cases: readonly ServiceCase<Names, Refusals>[] = [
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
  printed({
    title: 'an order that does not exist',
    operation: 'getOrder',
    client: 'axis',
    asks: { shop: 'amsterdam', number: 'B-7' },
    refuses: 'orderNotFound',
    says: 'validation 1002 Order not found',
  }),
  printed({
    title: 'a shop that the credential may not name',
    operation: 'getOrder',
    client: 'axis',
    asks: { shop: 'berlin', number: 'A-1001' },
    refuses: 'foreignShop',
    says: 'security 1001 Shop not allowed',
    status: 403,
    fields: {
      shop: 'Shop not allowed: send a shop for which this credential acts, or ask the operator of this service to add it',
    },
  }),
  printed({
    title: 'a new order',
    operation: 'placeOrder',
    asks: { shop: 'amsterdam', number: 'A-1002', item: 'Läufer', quantity: 999 },
    except: { soap12: { quantity: '0999' } },
    gives: { status: 'placed' },
    leaves: [first, 'A-1002: 999 Läufer'],
  }),
  printed({
    title: 'another order',
    operation: 'placeOrder',
    client: 'axis',
    asks: { ...bell, number: 'A-1003' },
    except: {
      soap12: twelve(
        `<o:placeOrder xmlns:o="urn:example:orders"><o:shop>amsterdam</o:shop><o:number>A-1003</o:number>` +
          '<o:item><![CDATA[Bell]]></o:item><o:quantity>1</o:quantity></o:placeOrder>',
      ),
      adapter:
        'newOrder.shop=amsterdam&newOrder.number=A-1003&newOrder.item=Bell&newOrder.quantity=1&action=Orders.placeOrder',
    },
    gives: { status: 'placed' },
    leaves: [first, 'A-1003: 1 Bell'],
  }),
  printed({
    title: 'a number that is used already',
    operation: 'placeOrder',
    asks: bell,
    refuses: 'orderExists',
    says: 'validation 1003 Order number already used',
  }),
  printed({
    title: 'every wrong field at once: a number in lower case, an empty item, a quantity of zero',
    operation: 'placeOrder',
    client: 'axis',
    asks: { shop: 'amsterdam', number: 'a-1', item: '', quantity: 0 },
    refuses: 'invalidField',
    says: 'validation 192 Invalid field number',
    fields: {
      number: 'Invalid field number: of the pattern [A-Z0-9-]{1,20}, such as A-1001 (The order number)',
      item: 'Required field item not specified: 1 to 100 characters',
      quantity: 'Invalid field quantity: a whole number from 1 to 999',
    },
  }),
];
