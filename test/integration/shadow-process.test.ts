/** The process that sends copies to shadows: its limits, and the contracts that it gets. The control of each limit is a process without it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBackend } from '../../src/backend/backend.ts';
import { createService } from '../../src/backend/define-service.ts';
import { type CopyLimits, openCopies } from '../../src/backend/shadow/open-copies.ts';
import type { UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { planUpstreams } from '../../src/backend/upstreams/plan.ts';
import { readConfig } from '../../src/config/config.ts';
import { readSources } from '../../src/config/variable-sources.ts';
import type { AnyRequest } from '../../src/core/contract/canonical.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import type { RemoteAnswer } from '../../src/core/idempotency/ports.ts';
import { freshKeys } from '../../src/core/vault/key-ring.ts';
import { exampleOf } from '../../src/documents/example.ts';
import type { ComparedAnswer } from '../../src/forward/compare/compare-answers.ts';
import { answerOfThrown, type NoAnswer } from '../../src/forward/compared-answer.ts';
import { createUpstream } from '../../src/forward/create-upstream.ts';
import { namesIn } from '../../src/forward/shadow/compare-copy.ts';
import { createGateway } from '../../src/program/api/index.ts';
import { startServer } from '../../src/program/app/server.ts';
import { mock } from '../../src/program/testing/mock/mock.ts';
import { importOpenApi } from '../../src/readers/openapi/import-openapi.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { ownDocuments } from '../support/corpus.ts';
import { desk, entry } from '../support/shadowed.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { answerJson, startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const answer = { ...entry, number: 'A-1', bookedAt: '2026-01-31T12:00:00Z' };
const json = { 'Content-Type': 'application/json' };
const large = {
  /** Takes long, and as many bytes in one piece as no limit allows. */
  work: `{"list":[${'{"a":[]},'.repeat(1_500_000)}1]}`,
  bytes: `{"text":"${'a'.repeat(100_000_000)}"}`,
};

let old: UpstreamServer;
beforeAll(async () => {
  old = await startUpstreamServer((response) => answerJson(response, 200, answer));
});
afterAll(async () => old[Symbol.asyncDispose]());

function planOf(upstreams: Readonly<Record<string, UpstreamOptions>>, services: readonly Service[]) {
  const answeredBy = services.map((contract, at) =>
    createService({ contract, answeredBy: Object.keys(upstreams)[at]! }, new Map()),
  );
  const { plan, faults } = planUpstreams({ upstreams }, answeredBy, readSources());
  if (plan === undefined) throw new Error(faults.join(' '));
  return { plan, contracts: services, services: answeredBy };
}

function upstreamWith(shadowUrl: string, url = old.url): UpstreamOptions {
  const options = { credentials: 'none', timeouts: { totalMs: 60_000, headersMs: 60_000, bodyMs: 60_000 } } as const;
  return { url, ...options, shadow: { url: shadowUrl, ...options, cpuPercent: 100, responseBytesMax: 1 << 30 } };
}

function openProcess({ plan, contracts: services }: ReturnType<typeof planOf>, limits?: CopyLimits) {
  const backend = { context: { clock: Date }, upstreamCredentials: {} } as never;
  const opened = openCopies(plan, { services, referenceHeader: 'x-reference', backend }, limits);
  return {
    /** Sends a copy of a request whose caller got the answer. */
    send: (
      upstream: string,
      service: Service,
      operation: Operation,
      input: object,
      answered: ComparedAnswer | RemoteAnswer | NoAnswer,
    ) =>
      opened.sendTo(upstream)({
        ...{ request: requestOf(service, operation, input), to: 'shadow', key: 'a-key-of-sixteen', at: 0 },
        answer: { ...answered, extras: namesIn('extras' in answered ? answered.extras : undefined) },
      }),
    [Symbol.asyncDispose]: opened.close,
  };
}

const unlimited: CopyLimits = { memoryMiBMax: 8_192, busyMsMax: 600_000 };

test.each([
  ['outOfTime', large.work, { ...unlimited, busyMsMax: 150 }],
  ['outOfMemory', large.bytes, { ...unlimited, memoryMiBMax: 64 }],
  // The controls.
  ['compared', large.work, unlimited],
  ['compared', large.bytes, unlimited],
])('a copy ends as %s at a limit, and the next process compares', async (reason, body, limits) => {
  let text = body;
  await using next = await startUpstreamServer((response) => void response.writeHead(200, json).end(text));
  await using copies = openProcess(planOf({ erp: upstreamWith(next.url) }, [desk]), limits);
  const send = () => copies.send('erp', desk, desk.operations.get('getEntry')!, { number: 'A-1' }, { output: answer });
  const result = await send();
  expect(result.kind === 'failed' ? result.reason : result.kind).toBe(reason);
  text = JSON.stringify(answer);
  await until('a comparison', async () => (await send()).kind === 'compared');
});

test('a contract that is no data leaves no process behind', async () => {
  const operations = new Map([...desk.operations].map(([name, each]) => [name, { ...each, made: () => {} }]));
  const service = { ...desk, operations } as Service;
  await using copies = openProcess(planOf({ erp: upstreamWith(old.url) }, [service]));
  const operation = service.operations.get('getEntry')!;
  const result = await copies.send('erp', service, operation, { number: 'A-1' }, { output: answer });
  expect(result).toEqual({ kind: 'failed', reason: 'notPrepared' });
  await until('the end of the process', () => !process.getActiveResourcesInfo().includes('ProcessWrap'));
});

test('a gateway answers beside a process that is ended, counts its copies, and goes on comparing', async () => {
  let text = large.work.repeat(4).replaceAll(']}{"list":[', ',');
  await using next = await startUpstreamServer((response) => void response.writeHead(200, json).end(text));
  const { plan, services } = planOf({ erp: upstreamWith(next.url) }, [desk]);
  const folder = tempFolder();
  const config = readConfig('demo', {
    ...{
      DATA_DIR: folder.path,
      TRIGLYPH_KEYS: freshKeys(),
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'silent',
      DRAIN_NOTICE_MS: '0',
    },
  });
  const backend = await openBackend(config, { exclusive: true }, services);
  const { secret } = await backend.registry.addCredential({
    ...{ tenant: 'Demo', kind: 'apiKey', roles: desk.roles, grants: {} },
  });
  const running = await startServer(config, backend, { upstreams: plan });
  await using _ = {
    async [Symbol.asyncDispose]() {
      await running.stop();
      folder.discard();
    },
  };
  const read = async (): Promise<number> => {
    const response = await fetch(`${running.callers}/desk/v1/getEntry`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
      body: JSON.stringify({ number: 'A-1' }),
    });
    return response.status;
  };
  const count = async (name: string): Promise<number> => {
    const text = await (await fetch(`${running.admin}/metrics`)).text();
    const lines = text.matchAll(new RegExp(`^triglyph_shadow_${name}\\} (\\d+)`, 'gm'));
    return [...lines].reduce((sum, [, each]) => sum + Number(each), 0);
  };
  const failed = () => count('failed_total\\{.*reason="outOf(?:Time|Memory)"');
  await until('the end of the process', async () => {
    expect(await read()).toBe(200);
    return (await failed()) > 0;
  });
  text = JSON.stringify(answer);
  await until('a comparison', async () => {
    expect(await read()).toBe(200);
    return (await count('answers_same_total\\{.*')) > 0;
  });
});

async function importedServices(): Promise<readonly Service[]> {
  const services = new Map<string, Service>();
  for (const file of [...ownDocuments('openapi'), ...ownDocuments('wsdl')]) {
    const imported = file.endsWith('.wsdl')
      ? (await importWsdl(file, { allowNetwork: false })).services
      : [await importOpenApi(file, { allowNetwork: false })];
    // One gateway serves one service of a name.
    for (const { service } of imported) if (!services.has(service.name)) services.set(service.name, service);
  }
  return [...services.values()];
}

test('the process reads the answers of imported services as the gateway does, in JSON and in SOAP', async () => {
  const services = await importedServices();
  const credentials = { apiKey: { inClear: 'key' } } as const;
  const startMock = async (service: Service) => {
    const gateway = await createGateway({ services: mock([service]), callers: [{ tenant: 'tests', apiKey: 'key' }] });
    return { gateway, url: String(await gateway.listen()) };
  };
  const mocks = await Promise.all(
    services.map(async (service) => ({ old: await startMock(service), next: await startMock(service) })),
  );
  const upstreams: Record<string, UpstreamOptions> = {};
  for (const [at, { operations }] of services.entries()) {
    const isSoap = [...operations.values()].every(({ upstream }) => upstream === undefined);
    const { old: first, next } = mocks[at]!;
    const options = { credentials, format: isSoap ? 'soap11' : 'json' } as const;
    upstreams[`of${at}`] = { url: first.url, ...options, shadow: { url: next.url, ...options, cpuPercent: 100 } };
  }
  const planned = planOf(upstreams, services);
  await using copies = openProcess(planned);
  const found: Record<string, number> = { same: 0, refused: 0 };
  const faults: string[] = [];
  for (const [at, configured] of planned.plan.upstreams.entries()) {
    const service = services[at]!;
    const own = createUpstream({
      ...configured,
      protocols: createProtocols(services),
      credentials: { find: () => ({ 'x-api-key': 'key' }), areOfCaller: false },
      ...{ referenceHeader: 'x-reference', clock: Date, report: () => {} },
    });
    for (const operation of service.operations.values()) {
      const input = exampleOf(operation.input, 'full') as object;
      const handler = own.handler(service, operation);
      const answered = await handler
        .forward(requestOf(service, operation, input), undefined, 'a-key-of-sixteen')
        .catch(answerOfThrown);
      const result = await copies.send(configured.name, service, operation, input, answered);
      if (result.kind !== 'compared' || result.differences.length > 0)
        faults.push(`${service.name}.${operation.name}: ${JSON.stringify(result).slice(0, 300)}`);
      else found['refusal' in answered ? 'refused' : 'same']! += 1;
    }
    await own.close();
    for (const { gateway } of Object.values(mocks[at]!)) await gateway.close();
  }
  expect(faults).toEqual([]);
  expect(found.same).toBeGreaterThan(60);
});

function requestOf(service: Service, operation: Operation, input: object): AnyRequest {
  const caller = { credential: 'anna', tenant: 'tests' };
  return { service, operation, input, caller, requestReference: 'R', head: { headers: {} } } as never;
}
