/** Tests each step of handling a request: its refusals, in the caller's format, and that later steps do not run. */

import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { createAuthenticator } from '../../src/access/authenticate.ts';
import { createForwardedAuthenticator } from '../../src/access/forwarded-credentials.ts';
import { FairTurns } from '../../src/access/limits/fair-turns.ts';
import type { AnyRequest, Caller } from '../../src/core/contract/canonical.ts';
import { adviceAt, issue, Problem, type ProblemRef } from '../../src/core/contract/problem.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Authenticator } from '../../src/core/gateway/authentication.ts';
import { compose } from '../../src/core/gateway/compose.ts';
import { type Gateway, handleRequest, neutralParts } from '../../src/core/gateway/handle-request.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { createVault } from '../../src/core/vault/vault.ts';
import { createLocalUpdater } from '../../src/payments/recurring/account-updater/announced-changes.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { merchantAccountGrant } from '../../src/payments/recurring/schemas.ts';
import { newestRecurring, recurringV25 } from '../../src/payments/recurring/versions.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { formats } from '../formats/index.ts';
import { ring } from '../support/fixture.ts';
import { implementServices } from '../support/services.ts';

const { services, current } = compose(
  implementServices({ updater: createLocalUpdater(createVault(ring), { testCards: true }) }),
);
const protocols = createProtocols(services);
const routes = compileRoutes(services);

const disable = recurringV25.operations.get('disable')!;
const list = recurringV25.operations.get('listRecurringDetails')!;
const pspReference = 'PSP0000000000001';
const key = 'a-key-that-is-long-enough-to-be-strong';

const caller: Caller = {
  credential: 'cr_1',
  tenant: 'Demo',
  roles: new Set(['recurring']),
  grants: new Map([[merchantAccountGrant.name, new Set(['DemoMerchant'])]]),
  requiresKey: false,
};

type ExecuteIdempotently = Gateway<ReadTransaction>['executeIdempotently'];

const done: ExecuteIdempotently = async (request) => ({
  requestReference: request.requestReference,
  output: { response: '[detail-successfully-disabled]' },
  replayed: false,
});

interface Sent {
  readonly format?: NamedProtocol;
  readonly operation?: typeof disable;
  readonly input?: object;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly inspect?: () => void;
  readonly verified?: Caller | undefined;
  readonly execute?: ExecuteIdempotently;
  /** Replaces the credentials. */
  readonly authenticator?: Authenticator;
  readonly turns?: FairTurns;
}

const input = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' };

/** Sends a request to a gateway whose credentials and executor are the test's own; `steps` are those that were reached. */
const send = async (sent: Sent = {}) => {
  const { format = 'json', operation = disable, method = 'POST', execute = done } = sent;
  const call = protocols[format].encodeRequest(recurringV25, operation, sent.input ?? input);
  const steps: string[] = [];
  const executed: AnyRequest[] = [];
  const gateway: Gateway<ReadTransaction> = {
    ...neutralParts,
    protocols,
    routes,
    current,
    ...(sent.turns && { turns: sent.turns }),
    authenticator:
      sent.authenticator ??
      createAuthenticator({
        async verify() {
          steps.push('verify');
          const verified = 'verified' in sent ? sent.verified : caller;
          return verified === undefined ? { refusal: 'wrongSecret' } : { caller: verified };
        },
      }),
    requestReferenceHeader: 'pspReference',
    ids: { requestReference: () => pspReference },
    async executeIdempotently(request, handler) {
      steps.push('execute');
      executed.push(request);
      return execute(request, handler);
    },
  };
  const { message, entry } = await handleRequest(
    {
      method,
      path: sent.path ?? call.path,
      query: '',
      headers: { 'content-type': call.contentType, soapaction: '""', 'x-api-key': 'secret', ...sent.headers },
      inspect: sent.inspect ?? (() => {}),
      async body() {
        steps.push('body');
        return Buffer.from(sent.body ?? call.body);
      },
    },
    gateway,
  );
  return { message, entry, steps, executed };
};

test('a GET of the service address needs a credential, also where an upstream decides', async () => {
  const authenticator = createForwardedAuthenticator(ring.index);
  const status = async (apiKey: string | undefined) =>
    (await send({ authenticator, method: 'GET', path: '/pal/servlet/Recurring/v25', headers: { 'x-api-key': apiKey } }))
      .message.status;
  expect(await status(undefined)).toBe(401);
  expect(await status('any')).toBe(405);
});

describe.each(namedProtocols)('in %s', (format) => {
  const refused = (problem: Problem, operation?: typeof disable) =>
    protocols[format].encodeError(problem, { requestReference: pspReference, operation });

  test('a request is executed once, as the operation of the current version', async () => {
    const { message, entry, steps, executed } = await send({ format });
    expect(steps).toEqual(['verify', 'body', 'execute']);
    expect(executed).toEqual([
      { service: newestRecurring, operation: disable, input, caller, requestReference: pspReference },
    ]);
    expect(message).toEqual({
      ...protocols[format].encode(disable, { response: '[detail-successfully-disabled]' }),
      headers: { pspReference },
    });
    expect(entry).toMatchObject({ protocol: format, operation: 'disable', tenant: 'Demo', outcome: 'ok' });
  });

  test('a head that must not be served is refused before credentials are read', async () => {
    const problem = new Problem('badRequest', 'Bad request: two hosts');
    const inspect = () => {
      throw problem;
    };
    const { message, entry, steps } = await send({ format, inspect });
    expect(steps).toEqual([]);
    expect(pick(message)).toEqual(pick(refused(problem)));
    expect(entry).toMatchObject({ protocol: format, outcome: 'badRequest' });
  });

  test('a caller without a valid credential is refused before the body is read', async () => {
    const { message, steps, entry } = await send({ format, verified: undefined });
    expect(steps).toEqual(['verify']);
    expect(message.headers).toMatchObject({ 'WWW-Authenticate': expect.stringContaining('Basic') });
    expect(message.contentType).toBe(refused(new Problem('unauthorized')).contentType);
    expect(entry).toMatchObject({ protocol: format, outcome: 'unauthorized', tenant: undefined });
  });

  test.each<[ProblemRef, number, string]>([
    ['tooManyRequests', 429, 'Too many requests'],
    ['overloaded', 503, 'Required resource temporarily unavailable'],
  ])('%s keeps its status, and says when to send the request again', async (problem, status, text) => {
    const authenticator: Authenticator = {
      authenticate: () => Promise.reject(new Problem(problem, undefined, { retryAfterSeconds: 7 })),
      requireCredential: () => Promise.reject(new TypeError('not a GET')),
    };
    const { message, entry, steps } = await send({ format, authenticator });
    expect(steps).toEqual([]);
    expect(message.status).toBe(status);
    expect(message.headers).toMatchObject({ 'transient-error': 'true', 'Retry-After': '7' });
    expect(message.body.replaceAll('+', ' ')).toContain(text);
    expect(entry.outcome).toBe(problem);
  });

  test('a credential with too many requests is refused before the body is read, and served again when one is answered', async () => {
    const turns = new FairTurns({ perCallerMax: 1, waitMsMax: 0 });
    const other = turns.admit(caller.credential);
    const { message, steps, entry } = await send({ format, turns });
    expect(steps).toEqual(['verify']);
    expect(message).toMatchObject({ status: 429, headers: { 'Retry-After': '1', 'transient-error': 'true' } });
    expect(entry).toMatchObject({ protocol: format, outcome: 'tooManyRequests', credential: caller.credential });
    other.release();
    // A refusal leaves, too.
    for (const body of ['\u0000<<{', undefined, undefined]) await send({ format, turns, ...(body && { body }) });
    expect((await send({ format, turns })).message.status).toBe(200);
  });

  test('a body that is not in the format is refused, and nothing is executed', async () => {
    const { message, steps, entry } = await send({ format, body: '\u0000<<{' });
    expect(steps).toEqual(['verify', 'body']);
    expect(message.contentType).toBe(refused(new Problem('badRequest')).contentType);
    expect(message.status).toBeGreaterThanOrEqual(400);
    expect(entry.outcome).not.toBe('ok');
  });

  const byRole = 'this credential may not call disable: ask the operator of this service to allow it';
  const byAccount =
    'send a merchantAccount for which this credential acts, or ask the operator of this service to add it';
  const foreignAccount = issue(['merchantAccount'], recurringProblems.foreignMerchantAccount);
  test.each<[string, Partial<Caller>, object, Problem]>([
    [
      'a role that the caller lacks',
      { roles: new Set() },
      input,
      new Problem('notAllowed', undefined, adviceAt('Authorization', byRole)),
    ],
    [
      'a foreign merchant account',
      {},
      { ...input, merchantAccount: 'OtherMerchant' },
      Problem.of([{ ...foreignAccount, rule: byAccount }]),
    ],
  ])('%s is refused, and nothing is executed', async (_, change, given, problem) => {
    const { message, steps, entry } = await send({ format, input: given, verified: { ...caller, ...change } });
    expect(steps).toEqual(['verify', 'body']);
    expect(pick(message)).toEqual(pick(refused(problem, disable)));
    expect(entry).toMatchObject({ operation: 'disable', tenant: 'Demo', outcome: problem.problem });
  });

  test('where an upstream decides, any caller is accepted, and only the fields are checked', async () => {
    const authenticator = createForwardedAuthenticator(ring.index);
    const foreign = { ...input, merchantAccount: 'OtherMerchant' };
    const callers = [
      { 'x-api-key': undefined },
      { 'x-api-key': 'any' },
      { 'x-api-key': undefined, authorization: 'Bearer any' },
      { 'x-api-key': 'any', authorization: 'Basic YW55OmFueQ==' },
    ];
    const ids: (string | undefined)[] = [];
    for (const headers of callers) {
      const { message, entry, executed } = await send({ format, authenticator, headers, input: foreign });
      expect(message.status).toBe(200);
      expect(executed).toMatchObject([{ input: foreign, caller: { rights: 'upstream', tenant: entry.credential } }]);
      ids.push(entry.credential);
    }
    expect(new Set(ids).size).toBe(callers.length);
    expect(ids[0]).toBe('anonymous');
    expect(ids.slice(1).every((id) => /^[\w-]{22}$/.test(id ?? ''))).toBe(true);
    const again = await send({ format, authenticator, headers: callers[1]! });
    expect(again.entry.credential).toBe(ids[1]);
    const wrong = await send({ format, authenticator, input: { shopperReference: 'shopper-1' } });
    expect(wrong.executed).toEqual([]);
    expect(wrong.entry.outcome).toBe('invalidMerchantAccount');
  });

  test('an invalid key has the status of a problem of the message, since the message was read', async () => {
    const { message, entry, executed } = await send({ format, headers: { 'idempotency-key': 'two words' } });
    expect(executed).toEqual([]);
    expect(message.status).toBe(formats[format].status422 === 500 ? 500 : 400);
    expect(message.body).toContain(format === 'form' ? 'Idempotency-Key+is+not' : 'Idempotency-Key is not');
    expect(entry).toMatchObject({ outcome: 'invalidKey', operation: 'disable' });
  });

  test('a problem that the execution returns has the reference of the request that had the effect', async () => {
    const execute: ExecuteIdempotently = async () => ({
      requestReference: 'PSP0000000000000',
      problem: new Problem(recurringProblems.contractNotFound),
      replayed: true,
    });
    const { message, entry } = await send({ format, execute, headers: { 'idempotency-key': key } });
    expect(message.headers).toMatchObject({
      pspReference: 'PSP0000000000000',
      'Idempotency-Key': key,
      'Idempotent-Replayed': 'true',
    });
    expect(message.body).toContain('800');
    expect(entry).toMatchObject({ outcome: 'contractNotFound', replayed: true, requestReference: 'PSP0000000000000' });
  });

  test('an unexpected error shows no detail', async () => {
    const execute: ExecuteIdempotently = async () => {
      throw new TypeError('4111111111111111 is not a function');
    };
    const { message, entry } = await send({ format, execute });
    expect(pick(message)).toEqual(pick(refused(new Problem('internal'), disable)));
    expect(message.body).not.toContain('4111111111111111');
    expect(entry).toMatchObject({ outcome: 'internal' });
    expect(entry.problem?.cause).toBeInstanceOf(TypeError);
  });
});

const pick = ({ status, contentType, body }: { status: number; contentType: string; body: string }) => ({
  status,
  contentType,
  body,
});

describe('addresses and media types', () => {
  test.each([
    ['an unknown path', { path: '/nowhere' }, 404],
    ['a version that does not exist', { path: '/pal/servlet/Recurring/v9999/disable' }, 404],
    ['a method that is not served', { method: 'PUT' }, 405],
    ['a media type that is not understood', { headers: { 'content-type': 'image/png' } }, 415],
  ] as const)('%s is refused before credentials are read', async (_, sent, status) => {
    const { message, steps } = await send(sent);
    expect(message.status).toBe(status);
    expect(steps).toEqual([]);
  });
});

describe('the Idempotency-Key', () => {
  test('is passed on and returned; a first answer is not marked as a replay', async () => {
    const { message, executed, entry } = await send({ headers: { 'idempotency-key': key } });
    expect(executed[0]?.key).toBe(key);
    expect(message.headers).toEqual({ pspReference, 'Idempotency-Key': key });
    expect(entry).toMatchObject({ replayed: false, weakKey: false });
  });
  test('is accepted when short and logged as weak', async () => {
    const { entry } = await send({ headers: { 'idempotency-key': 'short' } });
    expect(entry).toMatchObject({ outcome: 'ok', weakKey: true });
  });
  test('is required for writes where the credential demands it', async () => {
    const verified = { ...caller, requiresKey: true };
    expect((await send({ verified })).steps).toEqual(['verify', 'body']);
    expect((await send({ verified, headers: { 'idempotency-key': key } })).steps).toContain('execute');
    const execute: ExecuteIdempotently = async () => ({ requestReference: pspReference, output: {}, replayed: false });
    expect((await send({ verified, operation: list, execute })).steps).toContain('execute');
  });
});

describe('whether an error response allows a retry', () => {
  const failing =
    (thrown: Error): ExecuteIdempotently =>
    async () => {
      throw thrown;
    };
  const headersOf = async (sent: Sent) => {
    const { headers } = (await send(sent)).message;
    return { transient: headers['transient-error'], after: headers['Retry-After'] };
  };

  test('a store that does not answer is 503, and the request may be sent again', async () => {
    const { message, entry } = await send({ execute: failing(new StoreUnavailable('the disk is full')) });
    expect(message.status).toBe(503);
    expect(message.headers).toMatchObject({ 'transient-error': 'true', 'Retry-After': '1' });
    expect(entry).toMatchObject({ outcome: 'unavailable' });
  });
  test('an unexpected error may be retried with a key or by a reading operation', async () => {
    const execute = failing(new Error('unforeseen'));
    expect(await headersOf({ execute, headers: { 'idempotency-key': key } })).toEqual({
      transient: 'true',
      after: '1',
    });
    expect(await headersOf({ execute, operation: list })).toEqual({ transient: 'true', after: '1' });
    expect(await headersOf({ execute })).toEqual({ transient: undefined, after: undefined });
  });
  test('a key that was used for another request is not transient', async () => {
    const execute = failing(new Problem('keyReused'));
    expect(await headersOf({ execute, headers: { 'idempotency-key': key } })).toMatchObject({ transient: 'false' });
  });
});
