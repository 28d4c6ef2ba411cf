/**
 * The thread that copies are sent, parsed and compared in: nothing that a shadow answers takes time of callers. Its contracts and upstreams
 * are copies of those of the gateway, which finds the credentials.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { IdPairs } from '../../compare/compare-values.ts';
import { compileRules } from '../../compare/rules.ts';
import type { AnyRequest } from '../../contract/canonical.ts';
import { createProtocols } from '../../formats/index.ts';
import type { RemoteHandler } from '../../idempotency/ports.ts';
import { answerOfThrown } from '../compared-answer.ts';
import { createUpstream, type Upstream } from '../create-upstream.ts';
import { compareCopy, namesIn, type Side } from './compare-copy.ts';
import type { CopyMessage, CopyReply, CopyResult, CopySetup, FoundCredential } from './copy-messages.ts';

const closeMsMax = 1_000;

const { services, shadows, referenceHeader }: CopySetup = workerData;
const protocols = createProtocols(services);
/** By the callers of requests: a log-in has the caller of its request. */
const credentials = new WeakMap<object, FoundCredential>();

const opened = new Map(
  Object.entries(shadows).map(([name, { rules, sides }]) => {
    const open = ({
      credentials: { areOfCaller, areForwarded = false, client },
      ...setup
    }: (typeof sides)[Side]): Upstream =>
      createUpstream({
        ...setup,
        credentials: {
          ...{ areOfCaller, areForwarded },
          ...(client !== undefined && { client }),
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
    const servers: Record<Side, Upstream> = { current: open(sides.current), shadow: open(sides.shadow) };
    return [name, { servers, rulesOf: compileRules(rules), ids: new IdPairs() }] as const;
  }),
);

async function send(message: CopyMessage): Promise<CopyResult> {
  const { to, answer, key, credential, request: given } = message;
  const shadow = opened.get(message.upstream);
  const service = services.find(({ name }) => name === message.service);
  const operation = service?.operations.get(message.operation);
  if (shadow === undefined || service === undefined || operation === undefined)
    return { kind: 'failed', reason: 'other' };
  const request: AnyRequest = { ...given, service, operation };
  credentials.set(request.caller, credential);
  const copied = await ask(shadow.servers[to].handler(service, operation), request, key);
  if ('failure' in copied) return { kind: 'failed', reason: copied.reason };
  const rules = shadow.rulesOf(operation.name);
  const { pairsIds } = message;
  return {
    kind: 'compared',
    differences: compareCopy({ operation, to, own: answer, copied }, rules, shadow.ids, pairsIds),
  };
}

async function ask(handler: RemoteHandler<unknown>, request: AnyRequest, key: string | undefined) {
  try {
    const { output, extras } = await handler.forward(request, undefined, key);
    return { output, extras: namesIn(extras) };
  } catch (thrown) {
    return { ...answerOfThrown(thrown), extras: [] };
  }
}

let told = process.threadCpuUsage();

function reply(id: number, result: CopyResult | undefined): void {
  const { user, system } = process.threadCpuUsage(told);
  told = process.threadCpuUsage();
  parentPort?.postMessage({ id, result, cpuUs: user + system } satisfies CopyReply);
}

parentPort?.on('message', async (message: CopyMessage | 'close' | number) => {
  // Whether this thread is at work on one answer for too long.
  if (typeof message === 'number') reply(message, undefined);
  else if (message === 'close') {
    const all = [...opened.values()].flatMap(({ servers }) => Object.values(servers));
    await Promise.all(all.map((each) => each.close(closeMsMax)));
    parentPort?.close();
  } else {
    const result = await send(message).catch((): CopyResult => ({ kind: 'failed', reason: 'other' }));
    reply(message.id, result);
  }
});
