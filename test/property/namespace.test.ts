/** A service with a namespace of its own: SOAP messages use it, and are valid against its schemas. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { operation } from '../../src/core/contract/operation.ts';
import { list, map, object, optional, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { services } from '../../src/payments/index.ts';
import { namespaces } from '../../src/payments/recurring/versions.ts';
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
  const request = protocol.encodeRequest(payment, authorise, value);
  const answer = protocol.encode(authorise, value);

  test('the message, its lists and its maps are in the namespace of the service', () => {
    for (const { body } of [request, answer]) {
      expect(body).toContain(`xmlns:ns1="${namespaces.uris.payment}"`);
      expect(body).not.toContain(namespaces.uris.recurring);
    }
    expect(firstInvalid(payment, [request.body, answer.body])).toBeUndefined();
    expect(deriveWsdl(payment, { address: 'urn:x', soap12: true })).toContain(
      `targetNamespace="${namespaces.uris.payment}"`,
    );
  });

  test('messages survive a round trip', () => {
    const target = { service: payment, version: 1, operation: undefined };
    const media = { type: request.contentType, charset: undefined };
    expect(protocol.decode(Buffer.from(request.body), media, target, { query: '', headers: {} })).toEqual({
      operation: authorise,
      input: value,
      issues: [],
    });
    expect(protocol.decodeResponse(authorise, answer.body)).toEqual({ value, issues: [] });
  });
});
