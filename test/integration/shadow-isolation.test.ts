/** A shadow that is slow, dead, floods or lies changes no answer of the upstream, and delays none. The control waits for its shadow. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Interceptor } from '../../src/core/gateway/handle-request.ts';
import { startGateway } from '../../src/program/app/create-gateway.ts';
import { callers, desk, entry } from '../support/shadowed.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { answerJson, type Behaviour, startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const requests = 30;
const chunk = 'x'.repeat(65_536);
/** Longer than `until` waits: no copy ends before its shadow answers. */
const timeouts = { connectMs: 600_000, headersMs: 600_000, bodyMs: 600_000, totalMs: 600_000 };

const shadows: Readonly<Record<string, Behaviour>> = {
  slow: (response) => answerJson(response, 200, { number: 'A-1', ...entry }),
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

async function startFront(
  shadowUrl?: string,
  interceptor?: Interceptor,
  settings: Readonly<Record<string, string>> = {},
) {
  const shadow = {
    url: shadowUrl ?? '',
    credentials: 'none',
    responseBytesMax: 1 << 20,
    bytesMax: 1 << 20,
    timeouts,
  } as const;
  const { gateway } = await startGateway(
    {
      services: [desk.answeredBy('erp')],
      upstreams: { erp: { url: old.url, credentials: 'none', ...(shadowUrl !== undefined && { shadow }) } },
      callers,
      settings: { LOG_LEVEL: 'silent', ...settings },
    },
    interceptor && { interceptor },
  );
  const read = async (number: string): Promise<string> => {
    const response = await gateway.fetch(
      new Request('http://localhost/desk/v1/getEntry', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': 'key-of-caller-1' },
        body: JSON.stringify({ number }),
      }),
    );
    return `${response.status} ${await response.text()}`;
  };
  return { read, [Symbol.asyncDispose]: async () => gateway.close() };
}

type Front = Awaited<ReturnType<typeof startFront>>;

/** Both gateways answer the same, so many times. */
async function expectSameAnswers(plain: Front, other: Front): Promise<void> {
  for (let at = 0; at < requests; at += 1) {
    const answer = await plain.read(`A-${at}`);
    expect(answer).toContain('200 ');
    expect(await other.read(`A-${at}`)).toBe(answer);
  }
}

/** A shadow that does nothing until it is opened. */
async function startHeldShadow(behave: Behaviour) {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = await startUpstreamServer((...request) => void opened.then(() => behave(...request)));
  return { server, open };
}

test.each(Object.keys(shadows))('a %s shadow changes no answer, and none waits for it', async (name) => {
  const { server, open } = await startHeldShadow(shadows[name]!);
  await using _ = server;
  await using plain = await startFront();
  await using shadowed = await startFront(server.url);
  let isAnswered = false;
  const answered = expectSameAnswers(plain, shadowed).finally(() => {
    isAnswered = true;
  });
  answered.catch(() => {});
  try {
    await until('the answers', () => isAnswered);
    await until('a copy', () => server.received.length > 0);
  } finally {
    open();
  }
  await answered;
  await expectSameAnswers(plain, shadowed);
});

test('a gateway that ends gives up a copy that nothing answers, and its recording is whole', async () => {
  await using server = await startUpstreamServer(() => {});
  const folder = tempFolder();
  const front = await startFront(server.url, undefined, { RECORD: folder.path });
  await front.read('A-1');
  await until('the copy', () => server.received.length === 1);
  const startedAt = performance.now();
  await front[Symbol.asyncDispose]();
  // A copy has ten minutes here, and a stopping gateway waits a second for it.
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  const [file = ''] = readdirSync(folder.path);
  expect(gunzipSync(readFileSync(join(folder.path, file))).toString()).toContain('"operation":"getEntry"');
  folder.discard();
});

test('control: it waits for a copy that is answered soon', async () => {
  let answered = 0;
  await using server = await startUpstreamServer(
    (response) =>
      void wait(320).then(() => {
        response.once('finish', () => {
          answered += 1;
        });
        answerJson(response, 200, { number: 'A-1', ...entry });
      }),
  );
  const front = await startFront(server.url);
  await front.read('A-1');
  await until('the copy', () => server.received.length === 1);
  await front[Symbol.asyncDispose]();
  expect(answered).toBe(1);
});

test('a dead shadow changes no answer', async () => {
  await using plain = await startFront();
  await using shadowed = await startFront('http://127.0.0.1:9');
  await expectSameAnswers(plain, shadowed);
});

test('control: a gateway that waits for its shadow answers when the shadow does', async () => {
  const { server, open } = await startHeldShadow(shadows.slow!);
  await using _ = server;
  await using waiting = await startFront(undefined, async (_request, _protocol, proceed) => {
    const answer = await proceed();
    await (await fetch(server.url)).text();
    return answer;
  });
  let isAnswered = false;
  const answered = waiting.read('A-1').then(() => {
    isAnswered = true;
  });
  await until('a copy', () => server.received.length > 0);
  expect(isAnswered).toBe(false);
  open();
  await answered;
});
