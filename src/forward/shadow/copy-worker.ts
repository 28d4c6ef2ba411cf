/**
 * The process that copies are sent, parsed and compared in: nothing that a shadow answers takes time or memory of callers. Its contracts
 * and upstreams are copies of those of the gateway, which finds the credentials.
 */

import type { AnyRequest } from '../../core/contract/index.ts';
import { createProtocols } from '../../core/formats/index.ts';
import { IdPairs } from '../compare/compare-values.ts';
import { compileRules } from '../compare/rules.ts';
import { answerOfThrown } from '../compared-answer.ts';
import { createUpstream, type Upstream } from '../create-upstream.ts';
import { compareCopy, namesIn } from './compare-copy.ts';
import type {
  CopyMessage,
  CopyReply,
  CopyResult,
  CopySetup,
  FoundCredential,
  SideSetup,
  ToCopyProcess,
} from './copy-messages.ts';

const closeMsMax = 1_000;
const replyEveryMs = 100;

/** By the callers of requests: a log-in has the caller of its request. */
const credentials = new WeakMap<object, FoundCredential>();
let opened: ReturnType<typeof openAll> | undefined;
let copies = 0;
let timer: NodeJS.Timeout | undefined;

process.on('message', async (message: ToCopyProcess) => {
  if (message === 'close') await close();
  else if ('shadows' in message) {
    opened = openAll(message);
    reply();
  } else {
    copies += 1;
    timer ??= setInterval(reply, replyEveryMs);
    const result = await send(message).catch((): CopyResult => ({ kind: 'failed', reason: 'other' }));
    copies -= 1;
    if (copies === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    reply([message.id, result]);
  }
});
process.on('disconnect', () => process.exit());
// A terminal sends them to all processes of the gateway, which ends this one itself.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

function reply(answered?: CopyReply['answered']): void {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1_000;
  if (process.connected) process.send?.({ cpuMs, ...(answered && { answered }) } satisfies CopyReply);
}

async function close(): Promise<void> {
  const all = [...(opened?.shadows.values() ?? [])].flatMap(({ servers }) => Object.values(servers));
  await Promise.all(all.map((each) => each.close(closeMsMax)));
  process.disconnect?.();
}

function openAll({ services, shadows, referenceHeader }: CopySetup) {
  const protocols = createProtocols(services);
  const open = (setup: SideSetup): Upstream =>
    createUpstream({
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
  const all = Object.entries(shadows).map(([name, { rules, sides }]) => {
    const servers = { current: open(sides.current), shadow: open(sides.shadow) };
    const ids = rules.mapId === undefined || rules.mapId.length === 0 ? undefined : new IdPairs();
    return [name, { servers, rulesOf: compileRules(rules), ids }] as const;
  });
  return { services, shadows: new Map(all) };
}

async function send({ upstream, to, answer, key, credential, ...message }: CopyMessage): Promise<CopyResult> {
  const shadow = opened?.shadows.get(upstream);
  const service = opened?.services.find(({ name }) => name === message.service);
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
