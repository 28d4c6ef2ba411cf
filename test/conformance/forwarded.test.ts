/** Operations of another server in every format: what a caller gets, and what a retry in another format gets. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Problem, refusalOfUpstream } from '../../src/core/contract/problem.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { OutcomeUnknown, type RemoteAnswer } from '../../src/core/idempotency/ports.ts';
import { services } from '../../src/payments/index.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import type { Implementation } from '../../src/stores/handlers.ts';
import { formats } from '../formats/index.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { implementServices } from '../support/services.ts';

const protocols = createProtocols(services);
const disable = recurringV25.operations.get('disable')!;

let gateway: TestGateway;
let forward: () => Promise<RemoteAnswer>;
let asked: { readonly key: string | undefined; readonly authorization: string | undefined }[];
let deduplicates: boolean;

const forwarding = (implementation: Implementation): Implementation => ({
  ...implementation,
  handlers: new Map(
    [...implementation.handlers].map(([operation, handler]) => [
      operation,
      operation.name !== 'disable'
        ? handler
        : {
            kind: 'remote' as const,
            upstream: 'payments',
            deduplicates,
            msMax: 30_000,
            forward: (request, _, key) => {
              asked.push({ key, authorization: request.head?.headers.authorization });
              return forward();
            },
          },
    ]),
  ),
});

beforeEach(() => {
  asked = [];
});
afterEach(() => gateway.close());

const open = async (isDeduplicating: boolean): Promise<void> => {
  deduplicates = isDeduplicating;
  gateway = await openGateway({ implementations: (parts) => implementServices(parts).map(forwarding) });
};

const send = (name: NamedProtocol, key: string): Promise<Answer> => {
  const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };
  const { path, contentType, body } = protocols[name].encodeRequest(recurringV25, disable, input);
  return gateway.ask({ path, headers: { 'content-type': contentType, 'idempotency-key': key, ...callers.demo }, body });
};

const isSoap = (name: NamedProtocol): boolean => name.startsWith('soap');

describe.each(namedProtocols)('first in %s', (first) => {
  test('a refusal that the contract does not know is the outcome in every format, with its code, text and reference', async () => {
    await open(false);
    const kind = refusalOfUpstream({ status: 422, code: 'E-17', type: 'validation' });
    forward = async () => {
      throw new Problem(kind, 'Blocked by rule 9', { requestReference: 'theirs-8' });
    };
    const refused = await send(first, 'key-of-a-refusal');
    for (const name of namedProtocols) {
      const { message, entry } = name === first ? refused : await send(name, 'key-of-a-refusal');
      expect(message.body).toContain('E-17');
      expect(message.body).toMatch(/Blocked[ +]by[ +]rule[ +]9/);
      expect(message.headers.pspReference).toBe('theirs-8');
      expect([entry.outcome, entry.replayed]).toEqual(['upstreamRefusal', name !== first]);
    }
    const again = await send(first, 'key-of-a-refusal');
    expect([again.message.body, again.message.status]).toEqual([refused.message.body, refused.message.status]);
    expect(asked).toHaveLength(1);
  });
  test('an outcome that is not known is a refusal in the format, which every retry gets', async () => {
    await open(false);
    forward = async () => {
      throw new OutcomeUnknown('the connection was reset');
    };
    for (const name of [first, ...namedProtocols]) {
      const { message, entry } = await send(name, 'key-of-unknown');
      expect(entry.outcome).toBe('outcomeUnknown');
      expect(message.headers['transient-error']).toBe('false');
      expect(message.status).toBe(formats[name].status422 === 422 ? 502 : 500);
      if (isSoap(name)) expect(message.body).toMatch(/Fault>/);
      expect(message.body).not.toContain('reset');
    }
    expect(asked).toHaveLength(1);
  });
  test('with a key that the other server knows, a retry in any format asks again under it', async () => {
    await open(true);
    forward = async () => {
      throw new OutcomeUnknown('the connection was reset');
    };
    for (const name of [first, ...namedProtocols]) {
      const { message, entry } = await send(name, 'key-known-there');
      expect([entry.outcome, message.headers['transient-error']]).toEqual(['badAnswer', 'true']);
    }
    forward = async () => ({
      output: { response: '[detail-successfully-disabled]' },
      requestReference: 'theirs-9',
    });
    const done = await send(first, 'key-known-there');
    expect([done.message.status, done.message.headers.pspReference]).toEqual([200, 'theirs-9']);
    for (const name of namedProtocols) {
      const { message, entry } = await send(name, 'key-known-there');
      expect([message.status, message.headers.pspReference, entry.replayed]).toEqual([200, 'theirs-9', true]);
    }
    expect(asked).toHaveLength(namedProtocols.length + 2);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked[0]).toEqual({ key: expect.stringMatching(/^[\w-]{43}$/), ...callers.demo });
  });
});
