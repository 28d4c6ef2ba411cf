/** Services as foreign WSDLs describe them: elements without a namespace, repeated ones, texts with attributes, and rpc. */
import { operation } from '../../src/core/contract/operation.ts';
import {
  date,
  decimal,
  double,
  integer,
  list,
  map,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';

const attribute = { xml: 'attribute' } as const;

const neverNil = { nillable: false } as const;
const text = string({ max: 40, example: 'text' });

/** `<Weight unit="KG">2.5</Weight>` */
const weight = object(
  'Weight',
  {
    value: required(double(2.5), 'The weight.', { xml: 'text' }),
    unit: required(oneOf('Unit', 'KG', 'LB'), 'The unit.', attribute),
  },
  { namespace: 'types' },
);
const remark = object('Remark', {
  content: optional(text, 'The remark.', { xml: 'text' }),
  by: optional(text, 'Its author.', attribute),
});
const parcel = object(
  'Parcel',
  {
    number: required(string({ pattern: '[0-9]{1,9}', example: '1' }), 'The number.'),
    Weight: required(weight, 'The weight.'),
    // Declared in another schema, to which this one refers.
    Note: optional(text, 'A note.', { namespace: 'own', nillable: false }),
    label: optional(list(text, 'label', { max: 4, repeated: true }), 'The labels.', neverNil),
  },
  { namespace: 'types' },
);
const fields = {
  version: optional(integer(1, 9, 1), 'The version.', attribute),
  reference: optional(text, 'The reference.', { mandatoryInStubs: 'empty' }),
  due: optional(date('2026-01-31'), 'The day.', { mandatoryInStubs: 'nillable' }),
  factor: optional(double(1.5), 'A factor.', neverNil),
  local: optional(text, 'Without a namespace.', { namespace: '' }),
  Parcel: optional(list(parcel, 'Parcel', { max: 3, repeated: true }), 'The parcels.', {
    namespace: 'types',
    json: 'parcels',
  }),
  codes: optional(list(text, 'string', { max: 3, namespace: 'types' }), 'Codes.'),
  others: optional(list(integer(0, 9, 1), 'string', { max: 3, namespace: '' }), 'Other codes.'),
  remark: optional(list(remark, 'remark', { max: 3, repeated: true }), 'Remarks.', neverNil),
  notes: optional(map(3, { a: 'b' }), 'Notes.'),
};
const uris = { own: 'urn:example:shipments', types: 'urn:example:types' };
const common = { version: 1, answers: { from: 1, to: 1 }, roles: ['shipments'] };

export const shipmentsV1 = service({
  ...common,
  name: 'Shipments',
  doc: 'Shipments.',
  address: '/shipments',
  legacy: { adapter: '/shipments/form' },
  namespaces: { own: 'own', uris, unqualified: ['types'] },
  soapStyle: 'wrapped',
  operations: [
    operation({
      name: 'send_2',
      doc: 'Sends a shipment.',
      effect: 'writes',
      role: 'shipments',
      problems: [],
      elements: { input: 'Shipment', output: 'Sent' },
      input: object('Shipment', fields),
      output: object('SentShipment', fields),
    }),
  ],
});

const { version: _, remark: __, Parcel: ___, ...parts } = fields;
const parcels = object('Parcels', {
  count: optional(integer(0, 9, 1), 'How many.', neverNil),
  parcel: optional(list(parcel, 'parcel', { max: 3, repeated: true }), 'The parcels.'),
});

export const rpcShipmentsV1 = service({
  ...common,
  name: 'RpcShipments',
  doc: 'Shipments.',
  address: '/rpc-shipments',
  legacy: { adapter: '/rpc-shipments/form' },
  namespaces: { own: 'own', uris },
  soapStyle: 'rpc',
  operations: [
    operation({
      name: 'send',
      doc: 'Sends a shipment.',
      effect: 'writes',
      role: 'shipments',
      problems: [],
      input: object('Shipment', { ...parts, parcels: optional(parcels, 'The parcels.') }),
      output: object('SentShipment', {
        price: optional(decimal({ digits: 9, fraction: 2, example: '1' }), 'The price.'),
        parcels: optional(parcels, 'The parcels.'),
      }),
    }),
  ],
});
