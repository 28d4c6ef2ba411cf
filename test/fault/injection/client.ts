/** A client of a fault-injection run: works through shoppers of its own, and repeats each request until its answer is final. */
import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import type { Call } from '../../../src/core/formats/protocol.ts';
import type { Random } from '../../simulation/random.ts';
import { hangMsMax } from '../../support/until.ts';
import type { ServerSlot } from './fleet.ts';
import type { Answered, History } from './history.ts';
import {
  type Body,
  canonicalAnswerOf,
  encodeCall,
  errorCodeOf,
  formatsOfKey,
  idIn,
  keysOf,
  otherBodiesOf,
  roleOf,
  roles,
  tracksOf,
  type UsedKey,
} from './request.ts';

export interface ClientSetting {
  readonly servers: readonly ServerSlot[];
  readonly history: History;
  readonly random: Random;
  readonly apiKeys: Readonly<Record<string, string>>;
  /** Distinguishes the keys of this run, where runs share a Redis. */
  readonly run: string;
}

/** Shorter than a server is stopped, longer than a working one takes. */
const answerMsMax = 2_000;
/** How long a client repeats one request. */
const requestMsMax = 90_000;
/** The same after the faults are over: an abandoned reservation is ignored after two seconds. */
const lastMsMax = hangMsMax;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
let requests = 0;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const post = (
  address: string,
  { method = 'POST', path, contentType, body, headers: own }: Call,
  more: Readonly<Record<string, string>>,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = { ...own, 'Content-Type': contentType, ...more };
    const sent = request(address + path, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject);
      response.once('close', () => {
        clearTimeout(timer);
        if (response.complete) resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        else reject(new Error('the answer was cut off'));
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), answerMsMax);
    sent.once('error', (thrown) => {
      clearTimeout(timer);
      reject(thrown);
    });
    sent.end(body);
  });

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

const idempotencyKey = ({ run }: ClientSetting, { shopper, key }: UsedKey): string => `${run}-${shopper}-${key}`;

/** Uses the keys of new shoppers until `over`; returns them. */
export async function runClient(setting: ClientSetting, name: string, over: AbortSignal): Promise<readonly UsedKey[]> {
  const { random } = setting;
  const all: UsedKey[] = [];
  for (let count = 1; !over.aborted; count += 1) {
    const shopper = `${name}-${count}`;
    const own: UsedKey[] = [];
    const keys = keysOf(random.pick(tracksOf(random.pick(roles))));
    let id: string | undefined;
    for (const key of random.chance(0.4) ? keys : keys.slice(0, -1)) {
      const used = { shopper, key, id };
      own.push(used);
      const answer = await useKey(setting, used);
      if (answer === undefined || over.aborted) break;
      id ??= idIn(answer.canonical);
    }
    all.push(...own);
    for (const used of own) if (random.chance(0.3)) await sendUntilFinal(setting, used, 'right');
  }
  return all;
}

/** Sends the request of every key once more, after the faults are over. */
export async function resendAll(setting: ClientSetting, keys: readonly UsedKey[], clients: number): Promise<void> {
  const rest = keys.values();
  const client = async (): Promise<void> => {
    for (const used of rest) await sendUntilFinal(setting, used, 'right', { last: true });
  };
  await Promise.all(Array.from({ length: clients }, client));
}

export const closeConnections = (): void => agent.destroy();

/** Sends one to three copies at once; then perhaps late ones, and another body under the key. Undefined unless all succeed. */
async function useKey(setting: ClientSetting, used: UsedKey): Promise<Answered | undefined> {
  const { random } = setting;
  const copies = Array.from({ length: 1 + random.below(3) }, () => sendUntilFinal(setting, used, 'right'));
  const answers = await Promise.all(copies);
  // Without an answer the key may be unused, on a busy machine: another body would then be its first.
  const isUsed = answers.some((answer) => answer !== undefined);
  if (random.chance(0.3) && isUsed) await sendUntilFinal(setting, used, random.pick(otherBodiesOf(used.key)));
  if (random.chance(0.3)) await sendUntilFinal(setting, used, 'right');
  return answers.every((answer) => answer?.status === 200) ? answers[0] : undefined;
}

/** Sends until an answer is final; undefined after the time limit. */
async function sendUntilFinal(
  setting: ClientSetting,
  used: UsedKey,
  body: Body,
  options: { readonly last?: boolean } = {},
): Promise<Answered | undefined> {
  const endsAt = performance.now() + (options.last ? lastMsMax : requestMsMax);
  while (performance.now() < endsAt) {
    const answer = await send(setting, used, body, options);
    if (answer !== undefined && !answer.transient) return answer;
    await after(10 + setting.random.below(90));
  }
  return undefined;
}

/** Sends once, in a random format to a random server; undefined where no answer arrives. */
async function send(
  setting: ClientSetting,
  used: UsedKey,
  body: Body,
  { last = false }: { readonly last?: boolean },
): Promise<Answered | undefined> {
  const { random, servers, history, apiKeys } = setting;
  const server = random.below(servers.length);
  const address = servers[server]?.address;
  if (address === undefined) return undefined;
  const format = random.pick(formatsOfKey(used.key));
  const number = ++requests;
  history.write({ what: 'sent', number, ...used, body, format, server, ...(last && { last }) });
  try {
    const { status, headers, text } = await post(address, encodeCall(format, used, body), {
      'X-API-Key': apiKeys[roleOf(used.key)]!,
      'Idempotency-Key': idempotencyKey(setting, used),
    });
    const answer: Answered = {
      what: 'answered',
      number,
      status,
      transient: one(headers['transient-error']) === 'true',
      replayed: one(headers['idempotent-replayed']) === 'true',
      pspReference: one(headers.pspreference),
      echoedKey: one(headers['idempotency-key']),
      ...(status === 200 ? { canonical: canonicalAnswerOf(format, used.key, text) } : { code: errorCodeOf(text) }),
    };
    history.write(answer);
    return answer;
  } catch (thrown) {
    history.write({ what: 'unanswered', number, reason: thrown instanceof Error ? thrown.message : String(thrown) });
    return undefined;
  }
}
