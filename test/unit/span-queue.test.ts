/** Tests that memory stays bounded while the receiver of traces is away; with an unbounded queue as the control. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { openLog } from '../../src/http/log.ts';
import { startExports } from '../../src/insight/telemetry/start-exports.ts';
import { openOtlpReceiver } from '../support/otlp-receiver.ts';

const rounds = 20;
const callsPerRound = 100;
const batch = 10;
/** At a time, by the exporter of the SDK. */
const exportsMax = 30;
const endpoint = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const timeout = 'OTEL_EXPORTER_OTLP_TIMEOUT';

/** The class of spans, which the package does not export. */
const ignore = { onStart: () => {}, onEnd: () => {}, forceFlush: async () => {}, shutdown: async () => {} };
const { prototype } = new TracerProvider({ spanProcessors: [ignore] }).getTracer('test').startSpan('test').constructor;
const { end } = prototype;
let ended: WeakRef<object>[] = [];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Ended spans that something still refers to. */
async function countSpans(): Promise<number> {
  // A weak reference holds what it was made for until the turn ends.
  await turn();
  collectGarbage();
  return ended.filter((span) => span.deref() !== undefined).length;
}

beforeEach(() => {
  ended = [];
  prototype.end = function (this: object, ...time: unknown[]) {
    ended.push(new WeakRef(this));
    return end.apply(this, time);
  };
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  prototype.end = end;
  for (const name of [endpoint, timeout]) delete process.env[name];
});

/** Traces calls while the receiver is away. Returns how many spans are in memory, and how many were dropped. */
async function traceCalls(isOpen: boolean, queueSize: number) {
  const receiver = await openOtlpReceiver({ answers: false });
  if (isOpen) closing.push(() => receiver.close());
  else await receiver.close();
  const variables: Readonly<Record<string, string>> = {
    [endpoint]: `${receiver.origin}/v1/traces`,
    [timeout]: '1000',
    OTEL_BSP_MAX_QUEUE_SIZE: String(queueSize),
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: String(batch),
  };
  // The exporter reads these itself.
  for (const name of [endpoint, timeout]) process.env[name] = variables[name];
  let dropped = 0;
  const telemetry = await startExports({
    variables,
    log: openLog('silent'),
    count: (kind) => {
      if (kind === 'droppedSpans') dropped += 1;
    },
  });
  closing.push(() => telemetry.close(0));
  const about = { name: 'call', isJob: true, expected: 'answered' };
  for (let round = 0; round < rounds; round += 1) {
    for (let call = 0; call < callsPerRound; call += 1)
      expect(await telemetry.tracing!.call(about, async () => ({ kind: 'answered' }))).toEqual({ kind: 'answered' });
    await turn();
  }
  return { held: await countSpans(), dropped };
}

describe.each([
  ['refuses connections', false],
  ['accepts connections and does not answer', true],
])('a receiver that %s', (_, isOpen) => {
  test('leaves no more spans in memory than the queue and the batches of unfinished exports', async () => {
    const { held, dropped } = await traceCalls(isOpen, 50);
    expect(held).toBeLessThanOrEqual(50 + exportsMax * batch);
    // The measure is no constant 0.
    expect(held).toBeGreaterThan(0);
    expect(dropped).toBeGreaterThanOrEqual(rounds * callsPerRound - rounds * (50 + batch));
    expect(dropped).toBeGreaterThan(0);
  });

  test('would leave all of them in a queue without a bound', async () => {
    const { held, dropped } = await traceCalls(isOpen, 1_000_000);
    expect(held).toBeGreaterThan(rounds * callsPerRound - rounds * 2 * batch);
    expect(dropped).toBe(0);
  });
});
