/**
 * A model test of operations that another server answers: gateways over one store, which crash and are suspended between any two
 * steps, and a server that counts effects by key.
 */
import { Buffer } from 'node:buffer';
import type { AnyRequest, Caller, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import { Problem, refusalOfUpstream } from '../../src/core/contract/problem.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { createIdempotentExecutor } from '../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../src/core/idempotency/executor.ts';
import { LookupPace, lookUpOutcome } from '../../src/core/idempotency/outcome-lookup.ts';
import {
  ApplicationError,
  type IdempotentStore,
  type IdempotentTransaction,
  NotSent,
  type OutcomeLookup,
  OutcomeUnknown,
  type RemoteHandler,
  type RequestHasher,
} from '../../src/core/idempotency/ports.ts';
import type { ExecutionResult } from '../../src/core/idempotency/replay.ts';
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { serializeOutcome } from '../../src/core/idempotency/stored-outcome.ts';
import { disable } from '../../src/payments/recurring/contract.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { CommitUnknown, StoreUnavailable } from '../../src/stores/errors.ts';
import { type Engine, statement } from '../../src/stores/sql/engine.ts';
import { createUnsettledRequests, type UnsettledRequests } from '../../src/stores/sql/unsettled-requests.ts';
import { createStore } from '../../src/stores/store.ts';
import type { ReadTransaction } from '../../src/stores/transaction.ts';
import { ring } from '../support/fixture.ts';
import { Random } from './random.ts';

/** The transactions of a store that forwards. */
export type ForwardingTransaction = ReadTransaction & IdempotentTransaction;

/** A store of forwarded requests in which time passes as the model says. */
export interface ForwardingStore {
  readonly store: IdempotentStore<ReadTransaction>;
  readonly unsettled: UnsettledRequests;
  /** In one step: a gateway sees all of it, or nothing. `withOutcomes`: also for records with an outcome; an expired key is a new request. */
  pass(ms: number, withOutcomes?: boolean): Promise<void>;
}

export interface ForwardingParts {
  readonly store: IdempotentStore<ReadTransaction>;
  readonly hasher: RequestHasher;
  readonly handler: RemoteHandler<object>;
  monotonicMs(): number;
}

/** Replaces parts of a gateway by defective ones. */
export type ForwardingVariant = (parts: ForwardingParts) => Partial<ForwardingParts>;

export interface Forwarding {
  readonly over: ForwardingStore;
  readonly seed: number;
  readonly deduplicates: boolean;
  /** The server can be asked for outcomes. Only for one that does not deduplicate. */
  readonly canBeAsked?: boolean | undefined;
  /** A defect: the clock of the store alone says for how long no process has waited. */
  readonly believesClock?: boolean;
  readonly variant?: ForwardingVariant | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
/** No transaction lasts longer: time limits of the database end it. */
const transactionMsMax = 10_000;
const formats = ['soap11', 'soap12', 'json', 'form', 'adapter'] as const;
const protocols = createProtocols([recurringV25]);
const realHasher = createRequestHasher(ring.index, 'test');
const caller: Caller = {
  credential: 'ws@Company.Demo',
  tenant: 'Demo',
  roles: new Set(['recurring']),
  grants: new Map(),
  requiresKey: false,
};

const passPending = statement(
  'test-pass-pending',
  'update pending_request set in_flight_until = in_flight_until - $1, repeatable_until = repeatable_until - $1',
);
/** SQLite has one writer at a time. PostgreSQL would not see a row that is being added, and time would not pass for it. */
const lockPending = statement('test-lock-pending', 'lock table pending_request in share row exclusive mode');
const passRecords = statement(
  'test-pass-records',
  'update idempotency_record set expires_at = expires_at - $1 where outcome is null or $2 = 1',
);

/** The store in SQL. */
export function sqlStore(engine: Engine): ForwardingStore {
  return {
    store: createStore(engine),
    unsettled: createUnsettledRequests(engine),
    pass: (ms, withOutcomes = false) =>
      engine.write(
        async (session) => {
          if (engine.dialect === 'postgres') await session.execute(lockPending, []);
          await session.execute(passPending, [ms]);
          await session.execute(passRecords, [ms, withOutcomes ? 1 : 0]);
        },
        // Its lock waits for whatever a busy machine has begun.
        { noTimeout: true },
      ),
  };
}

/** One Idempotency-Key, or one request without; `other` bodies under a key are intruders. */
interface Order {
  readonly key: string | undefined;
  readonly name: string;
}

type Answer =
  | { readonly kind: 'lost' }
  | { readonly kind: 'retry'; readonly because: string }
  /** `isRefused`: and nothing of it is stored, so the key is free. */
  | { readonly kind: 'final'; readonly text: string; readonly isRefused?: true };

/** A run of a gateway process. After its death none of its calls returns. */
interface Incarnation {
  dead: boolean;
  readonly died: Promise<void>;
  readonly die: () => void;
  readonly pace: LookupPace;
  execute(request: CanonicalRequest): Promise<ExecutionResult>;
}

interface Effect {
  readonly number: number;
  readonly body: string;
  readonly key: string;
}

const lost: Answer = Object.freeze({ kind: 'lost' });

export class ForwardingRun {
  readonly #options: Forwarding;
  readonly #random: Random;
  readonly #gateways: Incarnation[] = [];
  /** Of every gateway: all clocks advance together. */
  #now = 0;
  /** By how much the database's clock may be ahead of `#now`, while time passes. */
  #passing = 0;
  #references = 0;
  #calm = false;
  readonly effects: Effect[] = [];
  readonly failures: string[] = [];
  /** What happened, for the message of a failure. */
  readonly trace: string[] = [];
  /** What the other server knows of each of its keys, where it deduplicates. */
  readonly #known = new Map<
    string,
    { readonly body: string; readonly outcome: Effect | Problem; readonly at: number; readonly passing: number }
  >();
  /** Final answers by order and body. */
  readonly #answers = new Map<string, string>();
  /** Requests without a key whose gateway got the answer, and those that an operator settled. */
  /** References of requests whose outcome the store has not taken. */
  readonly #notStored = new Set<string>();
  readonly #background: Promise<void>[] = [];
  /** Also those of processes that died meanwhile: a database commits what it has received. */
  readonly #transactions: Promise<unknown>[] = [];
  readonly #suspended = new Set<() => void>();
  readonly #late: (() => void)[] = [];

  constructor(options: Forwarding) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#gateways.push(this.#start(), this.#start());
  }

  /** Returns what is wrong. */
  async run(): Promise<readonly string[]> {
    const orders = Array.from({ length: 4 }, (_, at): Order => ({ key: `key ${at}`, name: `order-${at}` }));
    orders.push({ key: undefined, name: 'unkeyed-0' }, { key: undefined, name: 'unkeyed-1' });
    const disturber = this.#disturb();
    await Promise.all(orders.map((order) => this.#send(order)));
    this.#calm = true;
    this.#resume();
    await disturber;
    this.#resume();
    await Promise.all(this.#background);
    await this.#settle(orders);
    for (const order of orders) this.#judge(order);
    return this.failures;
  }

  #start(): Incarnation {
    const { over, deduplicates, variant = () => ({}) } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const pace = new LookupPace(() => this.#now);
    const self: Incarnation = { dead: false, died: promise, die: resolve, pace, execute: () => Promise.reject() };
    const handler = this.#createHandler(self, deduplicates);
    const real = {
      store: this.#faulty(over.store, self),
      hasher: realHasher,
      handler,
      monotonicMs: () => this.#now,
    };
    const parts = { ...real, ...variant(real) };
    const execute = createIdempotentExecutor<ReadTransaction, object>({
      store: parts.store,
      hasher: parts.hasher,
      context: {},
      wait: () => this.#ticks(),
      remote: {
        process: 'test',
        monotonicMs: parts.monotonicMs,
        ...(!this.#options.believesClock && { lookupPace: pace }),
        report: ({ requestReference }) => this.#notStored.add(requestReference),
      },
    });
    self.execute = (request) => execute(request, executorOf(parts.handler));
    return self;
  }

  /** The store of a process: fails, and ends the process, around transactions. */
  #faulty(store: ForwardingParts['store'], self: Incarnation): ForwardingParts['store'] {
    return {
      read: async (work) => {
        await this.#step(self);
        return await store.read(work);
      },
      write: async (work, options) => {
        await this.#step(self);
        if (this.#chance(0.04)) throw new StoreUnavailable('simulated');
        const transaction = store.write(work, options);
        this.#transactions.push(transaction);
        const result = await transaction;
        await this.#step(self, 0.06);
        if (this.#chance(0.02)) throw new CommitUnknown('simulated');
        return result;
      },
    };
  }

  #createHandler(self: Incarnation, deduplicates: boolean): RemoteHandler<object> {
    return {
      kind: 'remote',
      upstream: 'model',
      deduplicates,
      msMax: 30_000,
      keyMsMax: dayMs,
      lookup: this.#options.canBeAsked ? this.#createLookup() : undefined,
      forward: async (request, _, key) => {
        const startedAt = this.#now;
        await this.#step(self);
        if (this.#chance(0.1)) throw new NotSent('simulated');
        // The time limit of a client ends a call that was suspended.
        if (this.#now - startedAt >= 30_000) throw new NotSent('simulated: late');
        if (this.#chance(0.1)) {
          // It arrives after the client has given up.
          this.#late.push(() => void this.#answer(request, key));
          throw new OutcomeUnknown('simulated: sent, no answer');
        }
        const answer = this.#answer(request, key);
        await this.#step(self);
        if (this.#chance(0.1)) throw new OutcomeUnknown('simulated: the answer was lost');
        // It follows the effect, so it is the outcome of no write that a retry does not ask for again.
        const isAskedAgain = deduplicates && request.key !== undefined;
        if (this.#chance(0.1))
          throw isAskedAgain ? new ApplicationError(diskFull()) : new OutcomeUnknown('simulated: disk full');
        if (answer instanceof Problem) throw answer;
        return { output: { response: `effect ${answer.number}` } };
      },
    };
  }

  /** Nothing is on its way for a day. While the clocks of the model differ, there is no answer. */
  #createLookup(): OutcomeLookup<object> {
    return {
      sendsKey: false,
      needsCaller: false,
      arrivesWithinMs: dayMs,
      questionOf: ({ input }) => JSON.stringify((input as { readonly shopperReference: string }).shopperReference),
      ask: async (question) => {
        await this.#ticks();
        if (this.#passing > 0 || this.#chance(0.2)) return { kind: 'unknown', reason: 'simulated' };
        const body = JSON.parse(question) as string;
        const effect = this.effects.find((each) => each.body === body);
        this.#note(`asked for ${body}: ${effect?.number}`);
        await this.#ticks();
        return effect === undefined ? { kind: 'notFound' } : { kind: 'done', output: outputOf(effect) };
      },
    };
  }

  /** A gateway asks by itself for what no process waits for. */
  async #lookUpPending(self = this.#random.pick(this.#gateways)): Promise<void> {
    const { over, variant = () => ({}) } = this.#options;
    const handler = this.#createHandler(self, false);
    const real = { store: this.#faulty(over.store, self), hasher: realHasher, handler, monotonicMs: () => this.#now };
    const { store, handler: used, hasher } = { ...real, ...variant(real) };
    const { lookup } = used;
    if (lookup === undefined) return;
    const asker = { caller, requestReference: 'of the gateway' };
    const report = (): void => {};
    const ask = async (): Promise<void> => {
      for (const { id, recordKey, operation, idleMs: idle, question, state } of await over.unsettled.list(100)) {
        if (state === 'inFlight' || question === undefined) continue;
        const outcomeOf = (output: unknown) => serializeOutcome({ requestReference: id, output }, disable);
        const opened = hasher.open(question, { part: 'question', record: recordKey ?? id, operation });
        const idleMs = this.#options.believesClock ? idle : Math.min(idle, self.pace.idleMs(id, 35_000));
        const subject = { id, recordKey, idleMs, upstream: 'model', lookup, question: opened, outcomeOf };
        const result = await lookUpOutcome({ store, context: {}, report }, subject, asker).catch(String);
        this.#note(`the gateway asks for ${id}: ${result}`);
      }
    };
    await Promise.race([self.died, ask()]);
  }

  /** What the other server does: it refuses some, has the effect of others, and knows its keys for a day. */
  #answer({ input, key }: AnyRequest, upstreamKey: string | undefined): Effect | Problem {
    const body = (input as { readonly shopperReference: string }).shopperReference;
    // Before it looks for the key.
    if (this.#chance(0.1)) return new Problem('notAllowed');
    const known = upstreamKey === undefined ? undefined : this.#known.get(upstreamKey);
    // What was learnt while time passed belongs before or after it: the other server has forgotten the key, or knows it as it was.
    const age = known === undefined ? dayMs : this.#now - known.at - (known.body === body ? known.passing : 0);
    if (known !== undefined && age < dayMs && this.#options.deduplicates) {
      if (known.body !== body) this.failures.push(`the other server gets one key for ${known.body} and ${body}`);
      return known.outcome;
    }
    if (this.#chance(0.1)) return new Problem('badRequest');
    const refusal = refusalOfUpstream({ status: 422, code: '999', type: 'validation' });
    const outcome = this.#chance(0.1)
      ? new Problem(refusal, 'no')
      : { number: this.effects.length + 1, body, key: key ?? body };
    this.#note(
      `the server ${'number' in outcome ? `has effect ${outcome.number}` : 'refuses'}: ${body} (${upstreamKey})`,
    );
    if ('number' in outcome) this.effects.push(outcome);
    if (upstreamKey !== undefined)
      this.#known.set(upstreamKey, { body, outcome, at: this.#now, passing: this.#passing });
    return outcome;
  }

  /** Sends a request and its duplicates until an answer is final; once in a while another body under its key. */
  async #send(order: Order): Promise<void> {
    for (let attempts = 0; attempts < 6; attempts += 1) {
      await this.#ticks();
      const copies = order.key === undefined ? 1 : 1 + this.#random.below(3);
      const sent = Array.from({ length: copies }, () => this.#call(order, order.name));
      if (order.key !== undefined && this.#chance(0.3)) sent.push(this.#call(order, `${order.name}-other`));
      const answers = await Promise.all(sent);
      const own = answers.slice(0, copies);
      // A client that is refused for good gives up, and may pay elsewhere.
      if (own.every((answer) => answer.kind === 'final' && answer.isRefused)) {
        if (this.effects.some((effect) => effect.body === order.name))
          this.failures.push(`${order.name} is refused for good, and has its effect`);
        return;
      }
      if (order.key === undefined || own.some((answer) => answer.kind === 'final' && !answer.isRefused)) return;
    }
  }

  async #call(order: Order, body: string): Promise<Answer> {
    await this.#ticks();
    const gateway = this.#random.pick(this.#gateways);
    const request = this.#requestOf(order, body);
    const answer = await Promise.race([gateway.died.then(() => lost), answerOf(() => gateway.execute(request))]);
    this.#note(`${request.requestReference} ${body} is answered ${JSON.stringify(answer)}`);
    // The store has the intent and not this answer, so a later one may differ.
    const isStored = !this.#notStored.has(request.requestReference);
    if (answer.kind === 'final' && isStored && !answer.isRefused) this.#record(order, body, answer.text);
    return answer;
  }

  /** Encoded in one of the formats, and decoded as a gateway does. */
  #requestOf({ key }: Order, body: string): CanonicalRequest {
    const protocol = protocols[this.#random.pick(formats)];
    const call = protocol.encodeRequest(recurringV25, disable, { merchantAccount: 'M', shopperReference: body });
    const target = { service: recurringV25, version: 25, operation: protocol.name === 'adapter' ? undefined : disable };
    const media = { type: protocol.mediaType, charset: undefined };
    const decoded = protocol.decode(Buffer.from(call.body), media, target, { query: '', headers: call.headers ?? {} });
    this.#references += 1;
    const requestReference = `REF${String(this.#references).padStart(13, '0')}`;
    const input = decoded.input as CanonicalRequest['input'];
    const head = { headers: { 'content-type': protocol.mediaType } };
    return { service: recurringV25, operation: disable, input, caller, requestReference, key, head };
  }

  #record({ key }: Order, body: string, text: string): void {
    if (key === undefined) return;
    const name = `${key} ${body}`;
    const before = this.#answers.get(name);
    // A retry that has asked in vain may be answered after one that learned the outcome.
    if (this.#options.canBeAsked && text === 'outcomeUnknown') return;
    this.#answers.set(name, text);
    // An answer may arrive, or an operator settle, after retries were refused.
    if (before === undefined || before === text || before === 'outcomeUnknown') return;
    // The request that held the key had no effect, and freed it.
    if (before === 'keyReused') return;
    this.failures.push(`${name} is answered ${before}, then ${text}`);
  }

  /** Crashes, suspensions and the passing of time. */
  async #disturb(): Promise<void> {
    while (!this.#calm) {
      await this.#ticks(8);
      const dice = this.#random.next();
      if (dice < 0.15) this.#crash(this.#random.below(this.#gateways.length));
      else if (dice < 0.3) await this.#pass(this.#random.pick([1_000, 3_000, 40_000]));
      else if (dice < 0.36) await this.#pass(this.#random.pick([2 * dayMs, 40 * dayMs]));
      else if (dice < 0.5) this.#arrive();
      else if (dice < 0.6) this.#resume();
      else if (dice < 0.7 && !this.#options.canBeAsked) await this.#operate();
      // It may be suspended, and then waits for this loop.
      else if (dice < 0.7) this.#background.push(this.#lookUpPending());
      else if (dice < 0.75 && this.#options.canBeAsked) await this.#jump();
    }
  }

  #crash(at: number): void {
    const gateway = this.#gateways[at]!;
    gateway.dead = true;
    gateway.die();
    this.#gateways[at] = this.#start();
    this.#note(`gateway ${at} dies`);
  }

  async #pass(ms: number): Promise<void> {
    if (ms > transactionMsMax) await Promise.allSettled(this.#transactions);
    this.#passing = ms;
    await this.#options.over.pass(ms);
    // No request is on its way for a day.
    if (ms >= dayMs) this.#arrive();
    this.#now += ms;
    this.#passing = 0;
    this.#note(`${ms} ms pass`);
  }

  /** The clock of the store is set forward: nothing else happens. */
  async #jump(): Promise<void> {
    await this.#options.over.pass(2 * dayMs);
    this.#note('the clock of the store jumps');
  }

  #arrive(): void {
    for (const arrive of this.#late.splice(0)) arrive();
  }

  #resume(): void {
    for (const resume of this.#suspended) resume();
    this.#suspended.clear();
  }

  /** Settles what is unknown by looking at the other server, where nothing is on its way any more. */
  async #operate(): Promise<void> {
    const { unsettled } = this.#options.over;
    this.#arrive();
    for (const each of await unsettled.list(100)) {
      if (each.state !== 'unknown' || this.#late.length > 0) continue;
      const body = (JSON.parse(each.input!) as { readonly shopperReference: string }).shopperReference;
      const effect = this.effects.find((every) => every.body === body);
      const outcome = effect && serializeOutcome({ requestReference: each.id, output: outputOf(effect) }, disable);
      this.#note(`settled ${await unsettled.settle(each.id, outcome)}: ${each.id} ${body}, ${effect?.number}`);
    }
  }

  /** Everything works again: each request is sent until its answer is final, and what is unknown is listed and settled. */
  async #settle(orders: readonly Order[]): Promise<void> {
    const { unsettled } = this.#options.over;
    this.#arrive();
    await this.#pass(40_000);
    if (this.#options.canBeAsked) {
      // Each process counts from where it has seen a request first.
      for (const gateway of this.#gateways) await this.#lookUpPending(gateway);
      await this.#pass(2 * dayMs);
    }
    for (const order of orders) {
      if (order.key === undefined) continue;
      const answer = await this.#retry(order);
      const isListed = async (): Promise<boolean> => {
        const recordKey = realHasher.recordKey(caller, order.key!);
        return (await unsettled.list(100)).some((each) => each.recordKey === recordKey && each.state === 'unknown');
      };
      if (answer === 'outcomeUnknown' && this.#options.canBeAsked)
        this.failures.push(`${order.key} is unknown, and the server can be asked`);
      if (answer === 'outcomeUnknown' && !(await isListed()))
        this.failures.push(`${order.key} is unknown and not listed`);
    }
    this.#checkUnkeyed(orders, new Set((await unsettled.list(100)).map(({ input }) => input ?? '')));
    await (this.#options.canBeAsked ? this.#lookUpPending() : this.#operate());
    for (const order of orders) if (order.key !== undefined) await this.#retry(order);
    // Another body may hold a key, and is not sent again.
    const left = (await unsettled.list(100)).filter(({ state }) => state === 'unknown');
    if (left.length > 0) this.failures.push(`${left.length} requests are pending after all were settled`);
  }

  /** No retry of a request without a key is known as one, so nothing of it is kept. */
  #checkUnkeyed(orders: readonly Order[], listed: ReadonlySet<string>): void {
    for (const { key, name } of orders)
      if (key === undefined && [...listed].some((input) => input.includes(name)))
        this.failures.push(`${name} has no key, and is listed`);
  }

  async #retry(order: Order): Promise<string> {
    let because = '';
    for (let attempts = 0; attempts < 30; attempts += 1) {
      const answer = await this.#call(order, order.name);
      if (answer.kind === 'final') return answer.text;
      because = answer.kind === 'retry' ? answer.because : 'lost';
      // Another one is in flight: its time passes.
      await this.#pass(3_000);
    }
    this.failures.push(`${order.key} gets no final answer: ${because}`);
    return because;
  }

  #judge({ key, name }: Order): void {
    const effects = this.effects.filter((effect) => (key === undefined ? effect.body === name : effect.key === key));
    if (effects.length > 1) this.failures.push(`${name} has ${effects.length} effects`);
    if (key === undefined) return;
    const [effect] = effects;
    for (const body of [name, `${name}-other`]) {
      const text = this.#answers.get(`${key} ${body}`) ?? 'none';
      const expected = effect?.body === body ? `effect ${effect.number}` : undefined;
      if (expected === undefined && text.startsWith('effect'))
        this.failures.push(`${body} is answered ${text}, which it did not cause`);
      if (expected !== undefined && body === name && text !== expected)
        this.failures.push(`${body} is answered ${text} instead of ${expected}`);
    }
  }

  /** A point where a process may die, or be suspended. */
  async #step(self: Incarnation, suspended = 0.02): Promise<void> {
    await this.#ticks();
    if (this.#chance(suspended)) await new Promise<void>((resolve) => this.#suspended.add(resolve));
    if (self.dead) await new Promise<never>(() => {});
  }

  #note(text: string): void {
    this.trace.push(text);
  }

  #chance(share: number): boolean {
    return !this.#calm && this.#random.chance(share);
  }

  async #ticks(max = 3): Promise<void> {
    for (let left = this.#random.below(max); left >= 0; left -= 1) await new Promise(setImmediate);
  }
}

function outputOf({ number }: Effect): { readonly response: string } {
  return { response: `effect ${number}` };
}

/** An upstream that deduplicates may fail in its own words. */
function diskFull(): Problem {
  return new Problem(refusalOfUpstream({ status: 500, code: '905', type: 'internal' }), 'Disk full');
}

/** Where they have no word on it, the headers of an answer to a request with a key say that it may be sent again. */
const retried = new Set(['internal', 'badAnswer']);
/** The upstream refuses them, and the gateway stores nothing. */
const refused = new Set(['badRequest', 'notAllowed']);

async function answerOf(execute: () => Promise<ExecutionResult>): Promise<Answer> {
  try {
    const { output, problem } = await execute();
    if (problem !== undefined) return { kind: 'final', text: problem.message };
    return { kind: 'final', text: (output as { readonly response: string }).response };
  } catch (thrown) {
    if (!(thrown instanceof Problem)) return { kind: 'retry', because: String(thrown) };
    const { problem, kind } = thrown;
    if (kind.transient ?? retried.has(problem)) return { kind: 'retry', because: problem };
    return { kind: 'final', text: problem, ...(refused.has(problem) && { isRefused: true }) };
  }
}
