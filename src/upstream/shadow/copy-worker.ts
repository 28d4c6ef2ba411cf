/**
 * The thread that copies are sent, parsed and compared in: nothing that a shadow answers takes time of callers. Its contracts and upstreams
 * are copies of those of the gateway, which finds the credentials.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { IdPairs } from '../../compare/compare-values.ts';
import { compileRules } from '../../compare/rules.ts';
import type { AnyRequest } from '../../contract/canonical.ts';
import { createProtocols } from '../../formats/index.ts';
import { answerOfThrown } from '../compared-answer.ts';
import { createUpstream, type Upstream } from '../create-upstream.ts';
import { compareCopy, namesIn } from './compare-copy.ts';
import type { CopyMessage, CopyReply, CopyResult, CopySetup, FoundCredential, SideSetup } from './copy-messages.ts';

const closeMsMax = 1_000;

const { services, shadows, referenceHeader }: CopySetup = workerData;
const protocols = createProtocols(services);
/** By the callers of requests: a log-in has the caller of its request. */
const credentials = new WeakMap<object, FoundCredential>();

const opened = new Map(
  Object.entries(shadows).map(([name, { rules, sides }]) => {
    const servers = { current: open(sides.current), shadow: open(sides.shadow) };
    const ids = rules.mapId === undefined || rules.mapId.length === 0 ? undefined : new IdPairs();
    return [name, { servers, rulesOf: compileRules(rules), ids }] as const;
  }),
);

parentPort?.on('message', async (message: CopyMessage | 'close') => {
  if (message === 'close') {
    const all = [...opened.values()].flatMap(({ servers }) => Object.values(servers));
    await Promise.all(all.map((each) => each.close(closeMsMax)));
    parentPort?.close();
  } else reply([message.id, await send(message).catch((): CopyResult => ({ kind: 'failed', reason: 'other' }))]);
});
reply('ready');

function reply(message: CopyReply): void {
  parentPort?.postMessage(message);
}

function open(setup: SideSetup): Upstream {
  return createUpstream({
    ...setup,
    credentials: {
      ...setup.credentials,
      find: ({ caller }) => credentials.get(caller)?.headers,
      inQuery: ({ caller }) => credentials.get(caller)?.inQuery ?? [],
    },
    // They are compared.
    unknownMembers: 'keep',
    protocols,
    referenceHeader,
    clock: Date,
    // Metrics count copies without an answer.
    report: () => {},
  });
}

async function send({ upstream, to, answer, key, credential, ...message }: CopyMessage): Promise<CopyResult> {
  const shadow = opened.get(upstream);
  const service = services.find(({ name }) => name === message.service);
  const operation = service?.operations.get(message.operation);
  if (shadow === undefined || service === undefined || operation === undefined)
    return { kind: 'failed', reason: 'other' };
  const request: AnyRequest = { ...message.request, service, operation };
  credentials.set(request.caller, credential);
  const copied = await shadow.servers[to]
    .handler(service, operation)
    .forward(request, undefined, key)
    .then(
      ({ output, extras }) => ({ output, extras: namesIn(extras) }),
      (thrown) => ({ ...answerOfThrown(thrown), extras: [] }),
    );
  if ('failure' in copied) return { kind: 'failed', reason: copied.reason };
  const [left, right] = to === 'shadow' ? [answer, copied] : [copied, answer];
  return {
    kind: 'compared',
    differences: compareCopy(operation, left, right, shadow.rulesOf(operation.name), shadow.ids),
  };
}
