/** Operations of another server over a store in memory: what is asked, what is stored, and what a retry gets. */

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyRequest, Caller, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import {
  Problem,
  type ProblemDetails,
  type ProblemKind,
  problems,
  refusalOfUpstream,
} from '../../src/core/contract/problem.ts';
import { maskSensitive } from '../../src/core/contract/redaction.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../src/core/idempotency/executor.ts';
import { ApplicationError, NotSent, OutcomeUnknown, type RemoteAnswer } from '../../src/core/idempotency/ports.ts';
import type { RemoteEvent } from '../../src/core/idempotency/remote-dependencies.ts';
import type { ExecutionResult } from '../../src/core/idempotency/replay.ts';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { recurringProblems } from '../../src/payments/recurring/problems.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import { createUnsettledRequests, type UnsettledRequest } from '../../src/stores/sql/unsettled-requests.ts';
import type { SqliteEngine } from '../../src/stores/sqlite/engine.ts';
import { createStore, type Store } from '../../src/stores/store.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { ring } from '../support/fixture.ts';
import { openMigratedMemory } from '../support/migrated.ts';

const caller: Caller = {
  credential: 'c',
  tenant: 'Demo',
  roles: new Set<string>(),
  grants: new Map<string, Set<string>>(),
  requiresKey: false,
};
const secretHead = { headers: { 'x-api-key': 'SECRET-KEY' } };
const done: RemoteAnswer = { output: { response: 'done' } };

let now: number;
let monotonicMs: number;
let engine: SqliteEngine;
let store: Store;
let events: RemoteEvent[];
let asked: { readonly key: string | undefined; readonly body: string }[];
let forward: () => Promise<RemoteAnswer>;
let deduplicates: boolean;
let references = 0;

beforeEach(async () => {
  now = 1_000_000;
  monotonicMs = 0;
  engine = await openMigratedMemory(() => now);
  store = createStore(engine);
  events = [];
  asked = [];
  deduplicates = false;
  forward = async () => done;
});
afterEach(() => engine.close());

const request = (
  parts: Partial<CanonicalRequest> & { readonly name?: string; readonly body?: string } = {},
): AnyRequest => {
  const { name = 'disable', body = 'anna', ...rest } = parts;
  references += 1;
  return {
    service: recurringV25,
    operation: recurringV25.operations.get(name)!,
    input: { merchantAccount: 'Shop', shopperReference: body },
    caller,
    requestReference: `REF${String(references).padStart(13, '0')}`,
    key: 'a-key',
    head: secretHead,
    ...rest,
  } as CanonicalRequest;
};

const mask = maskSensitive;

/** A process; each has requests in flight of its own. */
const openGateway = (over: Store = store): ((request: AnyRequest) => Promise<ExecutionResult>) => {
  const execute = createIdempotentExecutor<ReadTransaction, object>({
    store: over,
    hasher: createRequestHasher(ring.index, 'test'),
    context: {},
    wait: async () => {},
    remote: { process: 'host 1', monotonicMs: () => monotonicMs, report: (event) => events.push(event), mask },
  });
  return (sent) =>
    execute(
      sent,
      executorOf({
        kind: 'remote',
        upstream: 'payments',
        deduplicates,
        msMax: 30_000,
        keyMsMax: 3_600_000,
        forward: (forwarded, _, key) => {
          asked.push({ key, body: (forwarded.input as { readonly shopperReference: string }).shopperReference });
          return forward();
        },
      }),
    );
};

const problemOf = async (executed: Promise<unknown>): Promise<string> => {
  try {
    await executed;
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown.problem;
    throw thrown;
  }
  return 'none';
};

const pending = (): Promise<readonly UnsettledRequest[]> => createUnsettledRequests(engine).list(10);
const failing = (thrown: Error) => async (): Promise<never> => {
  throw thrown;
};
const unanswered = failing(new OutcomeUnknown('the connection was reset'));

describe.each([true, false])('a server that deduplicates: %s', (given) => {
  beforeEach(() => {
    deduplicates = given;
  });

  test('is asked once, and retries get its answer under its reference, with what the contract does not have', async () => {
    const extras = {
      members: [{ name: 'more', value: '12345678901234567890' }],
      json: '{"more":12345678901234567890}',
    };
    forward = async () => ({ ...done, extras, requestReference: 'theirs-7' });
    const execute = openGateway();
    const answer = { requestReference: 'theirs-7', output: { response: 'done' }, extras };
    expect(await execute(request())).toEqual({ ...answer, replayed: false });
    expect(await execute(request())).toEqual({ ...answer, replayed: true });
    expect(await openGateway()(request())).toEqual({ ...answer, replayed: true });
    expect(await problemOf(execute(request({ body: 'bert' })))).toBe('keyReused');
    expect(asked).toEqual([{ key: given ? expect.stringMatching(/^[\w-]{43}$/) : undefined, body: 'anna' }]);
    expect(await pending()).toEqual([]);
  });
  test('is asked while no transaction is open, and what identifies the request is stored without its head', async () => {
    const held = Promise.withResolvers<RemoteAnswer>();
    forward = () => held.promise;
    const answered = openGateway()(request());
    while (asked.length === 0) await new Promise(setImmediate);
    // Another transaction would wait for an open one.
    await store.write(async (tx) => void (await tx.importProgress.save('x', 1, 1)));
    const [found] = await pending();
    expect(found).toMatchObject({ state: 'inFlight', upstream: 'payments', operation: 'disable', credential: 'c' });
    expect(JSON.stringify(found)).not.toContain('SECRET');
    expect(await problemOf(openGateway()(request()))).toBe('inProgress');
    expect(await problemOf(openGateway()(request({ body: 'bert' })))).toBe('inProgress');
    held.resolve(done);
    expect(await answered).toMatchObject({ replayed: false });
  });
  test('may be asked again where nothing was sent, also for another request', async () => {
    forward = failing(new NotSent('refused'));
    expect(await problemOf(openGateway()(request()))).toBe('unavailable');
    expect(await pending()).toEqual([]);
    forward = async () => done;
    expect(await openGateway()(request({ body: 'bert' }))).toMatchObject({ replayed: false });
  });
  test('is not asked by a process that was suspended before', async () => {
    const suspended: Store = {
      ...store,
      write: async (work, options) => {
        const result = await store.write(work, options);
        monotonicMs += 5_001;
        return result;
      },
    };
    expect(await problemOf(openGateway(suspended)(request()))).toBe('unavailable');
    expect([asked, await pending()]).toEqual([[], []]);
  });

  const refusal = (parts: Partial<ProblemKind>, details: ProblemDetails = {}) =>
    new Problem(
      refusalOfUpstream({ status: 422, code: 'E-17', type: 'validation', ...parts }),
      'Blocked by a rule',
      details,
    );
  const field = { path: ['shopperReference'], kind: problems.invalidField, message: 'no' };

  test.each([
    ['that the contract knows', new Problem(recurringProblems.contractNotFound)],
    ['that it does not know', refusal({}, { requestReference: 'theirs-8' })],
    ['with status 402', refusal({ status: 402 })],
    ['of a server that has 500 for all', refusal({ status: 500 })],
  ])('stores a refusal %s, completely', async (_, thrown) => {
    forward = failing(thrown);
    const first = await openGateway()(request());
    const again = await openGateway()(request());
    expect([first.replayed, again.replayed, asked.length]).toEqual([false, true, 1]);
    for (const { problem, requestReference } of [first, again]) {
      const { status, code, type, message } = problem!;
      expect({ status, code, type, message }).toEqual({ ...pick(thrown) });
      if (thrown.requestReference !== undefined) expect(requestReference).toBe('theirs-8');
    }
  });
  test.each([
    ['of fields', refusal({}, { issues: [field] })],
    ['of a credential', refusal({ status: 403, type: 'security' })],
    ['of a credential by a server that has 500 for all', refusal({ status: 500, type: 'security' })],
  ])('stores no refusal %s: the request may be corrected', async (_, thrown) => {
    forward = failing(thrown);
    await expect(openGateway()(request())).rejects.toBe(thrown);
    expect(await pending()).toEqual([]);
    forward = async () => done;
    expect(await openGateway()(request({ body: 'bert' }))).toMatchObject({ replayed: false });
  });
  test('answers what it has answered, also where the store does not take it', async () => {
    let writes = 0;
    const away: Store = {
      ...store,
      write: (work, options) => {
        writes += 1;
        return writes === 1 ? store.write(work, options) : Promise.reject(new StoreUnavailable('away'));
      },
    };
    expect(await openGateway(away)(request())).toMatchObject({ output: { response: 'done' }, replayed: false });
    expect(events).toMatchObject([{ kind: 'notStored', requestReference: expect.any(String) }]);
    now += 40_000;
    const retried = openGateway()(request());
    expect(given ? await retried : await problemOf(retried)).toEqual(
      given ? expect.objectContaining({ replayed: false }) : 'outcomeUnknown',
    );
  });
  test('a read is forwarded each time, without a key, and stores nothing', async () => {
    const list = () => openGateway()(request({ name: 'listRecurringDetails' }));
    expect(await list()).toMatchObject({ output: { response: 'done' }, replayed: false });
    await list();
    expect(asked.map(({ key }) => key)).toEqual([undefined, undefined]);
    forward = unanswered;
    expect(await problemOf(list())).toBe('badAnswer');
    forward = failing(new NotSent('refused'));
    expect(await problemOf(list())).toBe('unavailable');
  });
});

describe('a server that deduplicates', () => {
  beforeEach(() => {
    deduplicates = true;
  });

  test('is asked again under the same key after a request without an answer, at once', async () => {
    forward = unanswered;
    expect(await problemOf(openGateway()(request()))).toBe('badAnswer');
    expect(await problemOf(openGateway()(request({ body: 'bert' })))).toBe('keyReused');
    forward = async () => done;
    expect(await openGateway()(request())).toMatchObject({ replayed: false });
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  });
  test('is asked again after an error of its application, which is transient with a key and final without one', async () => {
    const kind = refusalOfUpstream({ status: 500, code: '7', type: 'internal' });
    forward = failing(new ApplicationError(new Problem(kind, 'insufficient funds')));
    await expect(openGateway()(request())).rejects.toMatchObject({
      message: 'insufficient funds',
      kind: { transient: true },
    });
    await expect(openGateway()(request({ key: undefined }))).rejects.toMatchObject({
      message: 'insufficient funds',
      kind,
    });
    forward = async () => done;
    expect(await openGateway()(request())).toMatchObject({ replayed: false });
  });
  test('is asked again two seconds after a process has died', async () => {
    forward = () => new Promise(() => {});
    void openGateway()(request());
    while (asked.length === 0) await new Promise(setImmediate);
    now += 1_999;
    expect(await problemOf(openGateway()(request()))).toBe('inProgress');
    now += 1;
    forward = async () => done;
    expect(await openGateway()(request())).toMatchObject({ replayed: false });
  });
  test('keeps the key for the request where a repeat was not sent, or was refused', async () => {
    forward = unanswered;
    await problemOf(openGateway()(request()));
    for (const thrown of [new NotSent('refused'), new Problem('notAllowed')]) {
      forward = failing(thrown);
      await problemOf(openGateway()(request()));
      expect(await problemOf(openGateway()(request({ body: 'bert' })))).toBe('keyReused');
    }
  });
  test('stores what it refuses after an attempt without an answer, and keeps the key where that is no outcome', async () => {
    const notAllowed = new Problem('notAllowed');
    forward = failing(new OutcomeUnknown('reset, then refused', { refusal: notAllowed }));
    const isNotFinal = { problem: 'notAllowed', kind: { transient: true } };
    await expect(openGateway()(request())).rejects.toMatchObject(isNotFinal);
    expect(await problemOf(openGateway()(request({ body: 'bert' })))).toBe('keyReused');
    forward = failing(notAllowed);
    await expect(openGateway()(request())).rejects.toMatchObject(isNotFinal);
    const refusal = new Problem(recurringProblems.contractNotFound);
    forward = failing(new OutcomeUnknown('reset, then refused', { refusal }));
    expect(await openGateway()(request())).toMatchObject({ problem: refusal, replayed: false });
    expect(await openGateway()(request())).toMatchObject({ replayed: true });
  });
  test('keeps the key where it says that it has a request with it', async () => {
    forward = failing(new Problem('inProgress'));
    expect(await problemOf(openGateway()(request()))).toBe('inProgress');
    expect(await problemOf(openGateway()(request({ body: 'bert' })))).toBe('keyReused');
  });
  test('is not asked after it may have forgotten the key', async () => {
    forward = unanswered;
    await problemOf(openGateway()(request()));
    now += 3_600_000;
    expect(await problemOf(openGateway()(request()))).toBe('outcomeUnknown');
    expect([asked.length, await pending()]).toMatchObject([1, [{ state: 'unknown' }]]);
  });
  test('gets another key for each request without one, and nothing is stored', async () => {
    const unkeyed = () => openGateway()(request({ key: undefined }));
    await unkeyed();
    await unkeyed();
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
    forward = unanswered;
    expect(await problemOf(unkeyed())).toBe('outcomeUnknown');
    expect(await pending()).toEqual([]);
  });
});

describe('a server that does not deduplicate', () => {
  test.each([
    ['it does not answer', unanswered],
    ['it fails', failing(new Problem(refusalOfUpstream({ status: 500, code: '1', type: 'internal' }), 'down'))],
    ['something unforeseen happens', failing(new TypeError('unforeseen'))],
  ])('is never asked again where %s: the outcome is unknown, and listed', async (_, failure) => {
    forward = failure;
    expect(await problemOf(openGateway()(request()))).toBe('outcomeUnknown');
    forward = async () => done;
    expect(await problemOf(openGateway()(request()))).toBe('outcomeUnknown');
    expect(await problemOf(openGateway()(request({ body: 'bert' })))).toBe('keyReused');
    now += 400 * 24 * 3_600_000;
    expect(await problemOf(openGateway()(request()))).toBe('outcomeUnknown');
    expect(asked).toHaveLength(1);
    expect(await pending()).toMatchObject([{ state: 'unknown', failure: expect.any(String), process: 'host 1' }]);
  });
  test('stores an error of the application as the outcome, with a key, and keeps nothing without one', async () => {
    const kind = refusalOfUpstream({ status: 500, code: '000', type: 'internal', isUncoded: true });
    const faultCode = { codes: ['Balance'] };
    forward = failing(new ApplicationError(new Problem(kind, 'insufficient funds', { faultCode, detail: ['<a/>'] })));
    const answer = { message: 'insufficient funds', kind, faultCode, detail: ['<a/>'] };
    await expect(openGateway()(request({ key: undefined }))).rejects.toMatchObject(answer);
    const execute = openGateway();
    expect(await execute(request())).toMatchObject({ replayed: false, problem: answer });
    forward = async () => done;
    expect(await execute(request())).toMatchObject({ replayed: true, problem: answer });
    expect(asked).toHaveLength(2);
    expect(await pending()).toEqual([]);
  });
  test('keeps nothing of a request without a key', async () => {
    forward = unanswered;
    expect(await problemOf(openGateway()(request({ key: undefined })))).toBe('outcomeUnknown');
    expect(await pending()).toEqual([]);
  });
  test('a process that has died is waited for until its time has passed', async () => {
    forward = () => new Promise(() => {});
    void openGateway()(request());
    while (asked.length === 0) await new Promise(setImmediate);
    now += 34_999;
    expect(await problemOf(openGateway()(request()))).toBe('inProgress');
    now += 1;
    expect(await problemOf(openGateway()(request()))).toBe('outcomeUnknown');
  });
  test('an answer after its time still counts, unless an operator has settled the request', async () => {
    const held = Promise.withResolvers<RemoteAnswer>();
    forward = () => held.promise;
    const late = [openGateway()(request()), openGateway()(request({ key: 'another' }))];
    while (asked.length < 2) await new Promise(setImmediate);
    now += 40_000;
    expect(await problemOf(openGateway()(request()))).toBe('outcomeUnknown');
    const settled = (await pending()).at(-1)!;
    const outcome = JSON.stringify({ requestReference: settled.id, output: { response: 'settled' } });
    expect(await createUnsettledRequests(engine).settle(settled.id, outcome)).toBe(true);
    held.resolve(done);
    expect(await late[0]).toMatchObject({ output: { response: 'done' }, replayed: false });
    expect(await late[1]).toMatchObject({ output: { response: 'settled' }, replayed: true });
    expect(events).toMatchObject([{ kind: 'answeredAfterSettling' }]);
    expect(await openGateway()(request())).toMatchObject({ output: { response: 'done' }, replayed: true });
  });
  test('masks what is sensitive for the operator', async () => {
    forward = unanswered;
    const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', cvc: '737', holderName: 'A' };
    const input = {
      merchantAccount: 'Shop',
      shopperReference: '4111-1111-1111-1111',
      card,
      recurring: { contract: ['RECURRING'] },
    };
    await problemOf(openGateway()(request({ name: 'storeToken', input: input as never })));
    const [{ input: shown } = { input: '' }] = await pending();
    expect(shown).toContain('************1111');
    expect(shown).toContain('****-****-****-1111');
    expect(shown).not.toMatch(/4111|737/);
  });
});

function pick({ status, code, type, message }: Problem) {
  return { status, code, type, message };
}
