/** Errors in JSON: problem details for services of one's own, and plain members where the conventions say so. */
import { describe, expect, test } from '@jest/globals';
import { ordersV1, placeOrder } from '../../examples/orders/contract.ts';
import { neutralConventions } from '../../src/core/contract/conventions.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';

const reference = 'ABCDEFGH12345678';
const problem = Problem.at(['item', 'size'], 'invalidField', 'item.size');

const conventions = { ...neutralConventions, errors: 'plain' } as const;
const plain: Service = { ...ordersV1, conventions };

function errorOf(service: Service, thrown: Problem) {
  const { json } = createProtocols([service]);
  const context = { requestReference: reference, operation: placeOrder, service };
  const message = json.encodeError(thrown, context);
  const { status, headers, body } = message;
  const reply = { status, headers, media: { type: '', charset: undefined }, body: Buffer.from(body) };
  return { ...message, body: JSON.parse(body) as unknown, read: json.decodeError(reply, placeOrder) };
}

describe('a service of one’s own', () => {
  test('has problem details, which a gateway before it reads with their code and their fields', () => {
    const { status, contentType, body, read } = errorOf(ordersV1, problem);
    expect([status, contentType, body]).toEqual([
      422,
      'application/problem+json',
      {
        type: 'urn:problem:general/invalid-field-value',
        title: 'Invalid information provided',
        status: 422,
        detail: 'Invalid field item.size',
        errorCode: '192',
        errorType: 'validation',
        invalidFields: [{ name: '/item/size', message: 'Invalid field item.size' }],
        requestReference: reference,
      },
    ]);
    expect(read).toMatchObject({ status: 422, code: '192', type: 'validation', message: 'Invalid field item.size' });
  });

  test('has plain members by its conventions', () => {
    const { contentType, body } = errorOf(plain, new Problem('internal'));
    expect([contentType, body]).toEqual([
      'application/json;charset=utf-8',
      {
        status: 500,
        errorCode: '701',
        message: 'Server could not process request',
        errorType: 'internal',
        requestReference: reference,
      },
    ]);
  });

  test.each([
    [ordersV1, 'application/problem+json', 'detail'],
    [plain, 'application/json', 'message'],
  ] as const)('says so in its OpenAPI document', (service, mediaType, member) => {
    const text = JSON.stringify(deriveOpenApi([service], 'https://shop.example'));
    const document = JSON.parse(text) as {
      readonly paths: Readonly<
        Record<string, { readonly post: { readonly responses: Record<string, { readonly $ref?: string }> } }>
      >;
      readonly components: {
        readonly schemas: { readonly ServiceError: { readonly required: readonly string[] } };
        readonly responses: Readonly<Record<string, { readonly content: object }>>;
      };
    };
    expect(document.components.schemas.ServiceError.required).toContain(member);
    for (const { post } of Object.values(document.paths)) {
      const name = post.responses['401']?.$ref?.split('/').at(-1) ?? '';
      expect(Object.keys(document.components.responses[name]?.content ?? {})).toContain(mediaType);
    }
  });
});
