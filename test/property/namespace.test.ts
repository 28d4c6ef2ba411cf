/** A service whose namespace is another than that of the first: SOAP speaks it in its own, and as its schemas say. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { operation } from '../../src/contract/operation.ts';
import { list, map, object, optional, string } from '../../src/contract/schema.ts';
import { service } from '../../src/contract/service.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { namespaces } from '../../src/services/recurring/namespaces.ts';
import { firstInvalid } from '../support/xmllint.ts';

const text = string({ example: 'x' });
const fields = { lines: optional(list(text, 'string', { max: 3 }), ''), more: optional(map(3, { a: 'b' }), '') };
const authorise = operation({
  name: 'authorise',
  doc: '',
  effect: 'reads',
  role: 'recurring',
  problems: [],
  input: object('PaymentRequest', fields, { namespace: 'payment' }),
  output: object('PaymentResult', fields, { namespace: 'payment' }),
});
const payment = service({
  name: 'Payment',
  version: 1,
  answers: { from: 1, to: 1 },
  address: '/pal/servlet/Payment',
  roles: ['recurring'],
  namespaces: { ...namespaces, own: 'payment' },
  doc: '',
  operations: [authorise],
});
const protocols = createProtocols([...services, payment]);
const value = { lines: ['one', 'two'], more: { a: 'b' } };

describe.each([protocols.soap11, protocols.soap12])('$name', (protocol) => {
  const asked = protocol.encodeRequest(payment, authorise, value);
  const answered = protocol.encode(authorise, value);

  test('puts the message, its lists and its maps into the namespace of the service', () => {
    for (const { body } of [asked, answered]) {
      expect(body).toContain(`xmlns:ns1="${namespaces.uris.payment}"`);
      expect(body).not.toContain(namespaces.uris.recurring);
    }
    expect(firstInvalid(payment, [asked.body, answered.body])).toBeUndefined();
    expect(deriveWsdl(payment, { address: 'urn:x' })).toContain(`targetNamespace="${namespaces.uris.payment}"`);
  });

  test('reads back what it printed', () => {
    const target = { service: payment, version: 1, operation: undefined };
    const media = { type: asked.contentType, charset: undefined };
    expect(protocol.decode(Buffer.from(asked.body), media, target, { query: '', headers: {} })).toEqual({
      operation: authorise,
      input: value,
      issues: [],
    });
    expect(protocol.decodeResponse(authorise, answered.body)).toEqual({ value, issues: [] });
  });
});
