/**
 * Retries with a key while a share moves between two servers, over and over, and both lose answers: each request has its effect once, on
 * one side. A gateway that chooses the side anew for each retry, the control, doubles effects.
 */
import { expect, test } from '@jest/globals';
import { ordersV1, placeOrder } from '../../../examples/orders/contract.ts';
import type { AnyRequest } from '../../../src/core/contract/canonical.ts';
import { maskSensitive } from '../../../src/core/contract/redaction.ts';
import { createIdempotentExecutor } from '../../../src/core/idempotency/execute-idempotently.ts';
import { executorOf } from '../../../src/core/idempotency/executor.ts';
import { NotSent, OutcomeUnknown, type RemoteHandler } from '../../../src/core/idempotency/ports.ts';
import { createRequestHasher } from '../../../src/core/idempotency/request-hash.ts';
import { freshKeys, parseKeyRing } from '../../../src/core/vault/key-ring.ts';
import { compileRules } from '../../../src/forward/compare/rules.ts';
import type { Side } from '../../../src/forward/shadow/compare-copy.ts';
import { Shadow } from '../../../src/forward/shadow/shadow.ts';
import { createStore } from '../../../src/stores/store.ts';
import { Random } from '../../simulation/random.ts';
import { openMigratedMemory } from '../../support/migrated.ts';
import { repeatCommand, seed } from '../../support/seed.ts';

const requests = 400;
const attemptsMax = 12;
const file = 'test/fault/upstream/switch-retries.test.ts';

interface Outcome {
  /** Effects of each request, on both sides together. */
  readonly effects: ReadonlyMap<string, number>;
  readonly bySide: Readonly<Record<Side, number>>;
  readonly answered: number;
  /** Requests that were answered, and had no effect or more than one. */
  readonly wrong: readonly string[];
}

async function run(isSticky: boolean): Promise<Outcome> {
  const random = new Random(seed);
  let now = 1_000_000;
  const engine = await openMigratedMemory(() => now);
  const store = createStore(engine);
  const ring = parseKeyRing(freshKeys());
  let percent = 0;
  const effects = new Map<string, number>();
  const bySide = { current: 0, shadow: 0 };
  /** A server that has the effect of one key once, and loses some requests and some answers. */
  const server = (side: Side): RemoteHandler<object> => {
    const known = new Set<string>();
    return {
      kind: 'remote',
      upstream: side === 'current' ? 'shop' : 'shop.shadow',
      deduplicates: true,
      msMax: 1_000,
      async forward({ input }, _context, key = '') {
        await new Promise((resolve) => setImmediate(resolve));
        const fate = random.below(4);
        if (fate === 0) throw new NotSent('refused');
        if (!known.has(key)) {
          known.add(key);
          const { number } = input as { readonly number: string };
          effects.set(number, (effects.get(number) ?? 0) + 1);
          bySide[side] += 1;
        }
        if (fate === 1) throw new OutcomeUnknown('reset');
        return { output: { status: 'placed' } };
      },
    };
  };
  const servers = { current: server('current'), shadow: server('shadow') };
  const shadow = new Shadow(
    {
      ...{
        percent: 0,
        spread: 'request',
        copiesWrites: false,
        mayAnswer: true,
        getsCredentials: false,
        getsSecrets: true,
        pairsIds: false,
      },
      ...{ concurrency: 1, queueMax: 1, bytesMax: 1, cpuPercent: 1 },
      rollback: { errors: 100, differences: 100, requestsMin: 1_000_000, windowMs: 1_000 },
    },
    {
      clock: { now: () => now },
      mask: maskSensitive,
      rulesOf: compileRules({}),
      shares: () => [{ operation: '', caller: '', answered: percent }],
      sendCopy: async () => ({ kind: 'compared', differences: [] }),
      mayCopy: () => true,
      report: () => false,
      changeCounts: () => Promise.reject(new Error('no counts are stored')),
      rollBack: () => {},
    },
  );
  const handler = shadow.handler(placeOrder, servers.current, servers.shadow);
  const { sides } = handler;
  if (sides === undefined) throw new Error('no sides');
  const forgetful = { ...sides, named: () => (random.below(100) < percent ? servers.shadow : servers.current) };
  const executor = executorOf<never, object>(isSticky ? handler : { ...handler, sides: forgetful });
  const process = () =>
    createIdempotentExecutor<never, object>({
      store: store as never,
      hasher: createRequestHasher(ring.index, 'test'),
      context: {},
      wait: async () => {},
    });
  const processes = [process(), process()];
  let references = 0;
  const request = (number: string): AnyRequest => {
    references += 1;
    return {
      service: ordersV1,
      operation: placeOrder,
      input: { shop: 'amsterdam', number, item: 'Bicycle', quantity: 1 },
      caller: { credential: 'c', tenant: 't', requiresKey: false, rights: 'upstream' },
      requestReference: `R${String(references).padStart(15, '0')}`,
      key: `key-of-request-${number}`,
      head: { headers: {} },
    } as AnyRequest;
  };
  const answered: string[] = [];
  const call = async (number: string): Promise<void> => {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      try {
        await processes[random.below(2)]!(request(number), executor);
        answered.push(number);
        return;
      } catch {
        percent = [0, 10, 50, 100][random.below(4)]!;
        now += 500 + random.below(3_000);
      }
    }
  };
  for (let from = 0; from < requests; from += 20)
    await Promise.all(Array.from({ length: 20 }, (_, at) => call(`A-${from + at}`)));
  await engine.close();
  const wrong = [...effects].filter(([, count]) => count > 1).map(([number]) => number);
  wrong.push(...answered.filter((number) => !effects.has(number)));
  return { effects, bySide, answered: answered.length, wrong };
}

test('each request has its effect once, on one side, while the share moves', async () => {
  const { bySide, answered, wrong } = await run(true);
  expect({ wrong, repeat: repeatCommand(file) }).toEqual({ wrong: [], repeat: repeatCommand(file) });
  expect(answered).toBeGreaterThan(requests * 0.9);
  expect(Math.min(bySide.current, bySide.shadow)).toBeGreaterThan(requests * 0.1);
});

test('control: where each retry chooses its side anew, effects are doubled', async () => {
  const { wrong } = await run(false);
  expect(wrong.length).toBeGreaterThan(0);
});
