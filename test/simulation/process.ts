/** One simulated server process: the real gateway over simulated ports, which dies, is stopped, and starts again. */
import { Buffer } from 'node:buffer';
import type { Caller } from '../../src/contract/canonical.ts';
import type { Answer } from '../../src/gateway/answer.ts';
import { type Gateway, handleRequest } from '../../src/gateway/handle-request.ts';
import type { Handlers } from '../../src/gateway/handler.ts';
import { createHandlerInvoker } from '../../src/gateway/invoke-handler.ts';
import { compileRoutes } from '../../src/gateway/route.ts';
import { createIdempotentExecutor } from '../../src/idempotency/execute-idempotently.ts';
import type { Credentials, IdempotencyCache, IdempotentStore, RequestHasher } from '../../src/idempotency/ports.ts';
import type { IdGenerator } from '../../src/lib/clock-and-ids.ts';
import { handlers as realHandlers } from '../../src/services/handlers.ts';
import { services } from '../../src/services/index.ts';
import { createDetailStore } from '../../src/services/recurring/store/repository.ts';
import { StoreUnavailable } from '../../src/store/transaction.ts';
import { type Attempt, attempts } from './attempt.ts';
import { epoch, updater as knowing, marks, vault } from './environment.ts';
import { type Fates, Port } from './port.ts';
import type { Records } from './records.ts';
import { callOf, company, isAboutResources, merchantAccount, protocols } from './request-body.ts';
import { balancePlatform } from './resource-body.ts';
import { type Owner, owner, type Scheduler } from './scheduler.ts';
import { simGate } from './sim-cache.ts';
import type { SimDatabase } from './sim-database.ts';
import { type Isolation, SimEngine } from './sim-engine.ts';
import { type Question, simUpdater } from './sim-updater.ts';

/** What a gateway is made of, so that a control can break a part of it. */
export interface Breakable {
  readonly store: IdempotentStore;
  readonly gate: IdempotencyCache;
  readonly marks: RequestHasher;
  readonly handlers: Handlers;
}

export type Variant = (parts: Breakable, records: Records) => Breakable;

/** What the processes of a run have in common. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly network: Owner;
  readonly fates: Fates;
  readonly database: SimDatabase;
  readonly records: Records;
  readonly isolation: Isolation;
  readonly references: IdGenerator;
  readonly variant: Variant;
  /** Where updaters outside are asked: hears of each question. Else the store knows. */
  readonly questioned?: ((question: Question) => void) | undefined;
  /** How long it takes to start again, in milliseconds. */
  restartMs(): number;
}

const routes = compileRoutes(services);
const companyCaller: Caller = Object.freeze({
  credential: 'ws@Company.Demo',
  company,
  roles: new Set(['recurring'] as const),
  merchantAccounts: new Set([merchantAccount]),
  requiresKey: true,
});
const platformCaller: Caller = Object.freeze({
  credential: 'ws@BalancePlatform.Demo',
  company,
  roles: new Set(['balancePlatform'] as const),
  merchantAccounts: new Set<string>(),
  balancePlatform,
  requiresKey: true,
});
/** Each request comes with the credential that its operation takes. */
const callerOf = (attempt: Attempt | undefined): Caller =>
  attempt !== undefined && isAboutResources(attempt.body) ? platformCaller : companyCaller;
const credentialsMs = 1_000;

const credentialsOver = (port: Port): Credentials => ({
  verify: () =>
    port.call({
      point: 'credentials',
      kind: 'credentials',
      limitMs: credentialsMs,
      apply: () => callerOf(attempts.getStore()),
      fail: () => {
        throw new StoreUnavailable('simulated: the credentials cannot be read');
      },
    }),
});

export class Process {
  readonly #name: string;
  readonly #surroundings: Surroundings;
  /** How far its clock is off, in milliseconds. */
  skewMs = 0;
  #starts = 0;
  #owner: Owner | undefined;
  #gateway: Gateway | undefined;
  readonly #lost = new Set<() => void>();

  constructor(name: string, surroundings: Surroundings) {
    this.#name = name;
    this.#surroundings = surroundings;
    this.start();
  }

  start(): void {
    const { scheduler, network, fates, database, records, isolation, references, variant, questioned } =
      this.#surroundings;
    const self = owner(`${this.#name}.${++this.#starts}`);
    const port = new Port(scheduler, self, network, fates, () => this.crash());
    const clock = { now: () => epoch + Math.floor(scheduler.now) + this.skewMs };
    const real = createDetailStore(new SimEngine(database, port, isolation));
    const broken = variant({ store: real, gate: simGate(records, port), marks, handlers: realHandlers }, records);
    const { store, gate, handlers } = broken;
    const updater = questioned === undefined ? knowing : simUpdater(port, questioned);
    // Only a gateway without a journal writes by way of the performer alone.
    const performing = createHandlerInvoker(handlers, real, { clock, ids: references, updater, vault });
    const wait = (ms: number) => scheduler.turn(self, 'has waited', ms);
    const once = createIdempotentExecutor({ performer: performing, store, gate, marks: broken.marks, clock, wait });
    this.#owner = self;
    this.#gateway = {
      protocols,
      routes,
      credentials: credentialsOver(port),
      ids: references,
      executeIdempotently: once,
    };
  }

  /** kill -9: what it was at is never gone on with, and its callers lose their connections. It starts again by itself. */
  crash(): void {
    const { scheduler, network, database, restartMs } = this.#surroundings;
    const dying = this.#owner;
    if (dying === undefined || dying.dead) return;
    scheduler.note(dying, 'dies');
    dying.dead = true;
    this.#owner = undefined;
    this.#gateway = undefined;
    database.abandon(dying);
    for (const lose of this.#lost) lose();
    this.#lost.clear();
    scheduler.turn(network, `${this.#name} starts`, restartMs()).then(() => this.start());
  }

  /** It stands still for so long, and then goes on as if nothing had been. */
  stop(ms: number): void {
    const { scheduler } = this.#surroundings;
    if (this.#owner === undefined) return;
    scheduler.note(this.#owner, `stands still for ${ms} ms`);
    this.#owner.stoppedUntil = scheduler.now + ms;
  }

  /** Undefined where the connection is refused or lost. */
  ask(attempt: Attempt): Promise<Answer | undefined> {
    const gateway = this.#gateway;
    if (gateway === undefined) return Promise.resolve(undefined);
    const { method = 'POST', path, contentType, body } = callOf(attempt.body, attempt.protocol);
    const headers = { 'content-type': contentType, 'x-api-key': 'any', 'idempotency-key': attempt.key };
    const wire = { method, path, query: '', headers, inspect: () => {}, body: async () => Buffer.from(body) };
    return new Promise((resolve) => {
      const lose = () => resolve(undefined);
      this.#lost.add(lose);
      attempts
        .run(attempt, () => handleRequest(wire, gateway))
        .then((answer) => {
          this.#lost.delete(lose);
          resolve(answer);
        });
    });
  }
}
