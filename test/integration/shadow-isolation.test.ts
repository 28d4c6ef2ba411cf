/** A shadow that is slow, dead, floods or lies changes no answer of the upstream, and no time of it. The control waits for its shadow. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startGateway } from '../../src/app/create-gateway.ts';
import type { Interceptor } from '../../src/gateway/handle-request.ts';
import { callers, desk, entry } from '../support/shadowed.ts';
import { answerJson, type Behaviour, startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const slowMs = 80;
const requests = 150;
const chunk = 'x'.repeat(65_536);

const shadows: Readonly<Record<string, Behaviour>> = {
  hanging: () => {},
  slow: (response) => void wait(slowMs).then(() => answerJson(response, 200, { number: 'A-1', ...entry })),
  resetting: (_, __, socket) => socket.resetAndDestroy(),
  flooding(response, _, socket) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const flood = (): void => {
      if (!socket.destroyed) response.write(chunk, () => setTimeout(flood, 5));
    };
    flood();
  },
  lying: (response) => answerJson(response, 200, { number: 'Z-9', amount: 'no amount', bookedAt: [], more: chunk }),
  noHttp: (_, __, socket) => socket.end('220 smtp.example.com ESMTP\r\n'),
};

let old: UpstreamServer;
beforeAll(async () => {
  old = await startUpstreamServer((response, { body }) =>
    answerJson(response, 200, { ...entry, bookedAt: '2026-01-31T12:00:00Z', number: JSON.parse(body).number }),
  );
});
afterAll(async () => old[Symbol.asyncDispose]());

async function startFront(shadowUrl?: string, interceptor?: Interceptor) {
  const shadow = { url: shadowUrl ?? '', credentials: 'none', responseBytesMax: 1 << 20, bytesMax: 1 << 20 } as const;
  const { gateway } = await startGateway(
    {
      services: [desk.answeredBy('erp')],
      upstreams: { erp: { url: old.url, credentials: 'none', ...(shadowUrl !== undefined && { shadow }) } },
      callers,
      settings: { LOG_LEVEL: 'silent' },
    },
    interceptor && { interceptor },
  );
  const read = async (number: string): Promise<{ readonly text: string; readonly ms: number }> => {
    const startedAt = performance.now();
    const response = await gateway.fetch(
      new Request('http://localhost/desk/v1/getEntry', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': 'key-of-caller-1' },
        body: JSON.stringify({ number }),
      }),
    );
    const text = `${response.status} ${await response.text()}`;
    return { text, ms: performance.now() - startedAt };
  };
  return { read, [Symbol.asyncDispose]: async () => gateway.close() };
}

/** Asks both in turns, so that the machine is as busy for one as for the other. Returns the times, sorted. */
async function compare(plain: Awaited<ReturnType<typeof startFront>>, other: Awaited<ReturnType<typeof startFront>>) {
  const times: { readonly plain: number[]; readonly other: number[] } = { plain: [], other: [] };
  for (let at = 0; at < requests + 20; at += 1) {
    const [one, two] = at % 2 === 0 ? [plain, other] : [other, plain];
    const answers = [await one.read(`A-${at}`), await two.read(`A-${at}`)];
    expect(answers[1]!.text).toBe(answers[0]!.text);
    expect(answers[0]!.text).toContain('200 ');
    // The first ones compile.
    if (at < 20) continue;
    times.plain.push(answers[at % 2 === 0 ? 0 : 1]!.ms);
    times.other.push(answers[at % 2 === 0 ? 1 : 0]!.ms);
  }
  const sorted = { plain: times.plain.sort((a, b) => a - b), other: times.other.sort((a, b) => a - b) };
  const at = (list: readonly number[], share: number): number => list[Math.floor(list.length * share)]!;
  return {
    median: at(sorted.other, 0.5) - at(sorted.plain, 0.5),
    p99: at(sorted.other, 0.99) - at(sorted.plain, 0.99),
  };
}

/** What a busy machine may add to one of two. It adds this much more at times, and not each time. */
const noiseMs = slowMs / 2;
const attemptsMax = 4;

async function expectNoDelay(shadowUrl: string): Promise<void> {
  await using plain = await startFront();
  await using shadowed = await startFront(shadowUrl);
  const measured: { readonly median: number; readonly p99: number }[] = [];
  const isQuiet = ({ median, p99 }: { readonly median: number; readonly p99: number }): boolean =>
    median < noiseMs / 4 && p99 < noiseMs;
  while (measured.length < attemptsMax && !measured.some(isQuiet)) measured.push(await compare(plain, shadowed));
  expect(measured.filter(isQuiet).length > 0 || measured).toBe(true);
}

test.each(Object.keys(shadows))('a %s shadow changes no answer and no time', async (name) => {
  await using server = await startUpstreamServer(shadows[name]!);
  await expectNoDelay(server.url);
  expect(server.received.length).toBeGreaterThan(0);
});

test('a dead shadow changes no answer and no time', () => expectNoDelay('http://127.0.0.1:9'));

test('control: a gateway that waits for its shadow is found, each time', async () => {
  await using server = await startUpstreamServer(shadows.slow!);
  await using plain = await startFront();
  await using waiting = await startFront(undefined, async (_request, _protocol, proceed) => {
    const answer = await proceed();
    await (await fetch(server.url)).text();
    return answer;
  });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { median, p99 } = await compare(plain, waiting);
    expect(median).toBeGreaterThan(noiseMs);
    expect(p99).toBeGreaterThan(noiseMs);
  }
});
