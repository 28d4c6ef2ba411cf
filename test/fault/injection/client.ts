/** A client of a fault-injection run: it works through shoppers of its own, and repeats each request until it knows what came of it. */
import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { type Role, roles } from '../../../src/contract/operation.ts';
import type { Call } from '../../../src/formats/protocol.ts';
import type { Random } from '../../simulation/random.ts';
import type { Place } from './fleet.ts';
import type { Answered, Ledger } from './history.ts';
import {
  type Body,
  callOf,
  canonicalOf,
  codeOf,
  keysOf,
  madeIn,
  trackOf,
  tracksOf,
  type Used,
  wrongBodiesOf,
} from './request.ts';

export interface Surroundings {
  readonly places: readonly Place[];
  readonly ledger: Ledger;
  readonly random: Random;
  readonly authorizations: Readonly<Record<Role, string>>;
  /** Makes the keys of this run its own, where runs share a Redis. */
  readonly run: string;
}

/** Shorter than a stalled server stays so, longer than one that works takes. */
const answerMsMax = 2_000;
/** How long a client goes on with one request. */
const patienceMsMax = 90_000;
/** And where nothing is in the way any more: a claim left behind is passed over after two seconds. */
const lastPatienceMsMax = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
let sendings = 0;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const ask = (
  address: string,
  { method = 'POST', path, contentType, body, headers: own }: Call,
  also: Readonly<Record<string, string>>,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = { ...own, 'Content-Type': contentType, ...also };
    const asked = request(address + path, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject);
      response.once('close', () => {
        clearTimeout(timer);
        if (response.complete) resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        else reject(new Error('the answer broke off'));
      });
    });
    const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), answerMsMax);
    asked.once('error', (thrown) => {
      clearTimeout(timer);
      reject(thrown);
    });
    asked.end(body);
  });

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;

const idempotencyKey = ({ run }: Surroundings, { shopper, key }: Used): string => `${run}-${shopper}-${key}`;

/** Sends once, in some format to some server; undefined where no answer comes. */
const send = async (
  around: Surroundings,
  used: Used,
  body: Body,
  { last = false }: { readonly last?: boolean } = {},
): Promise<Answered | undefined> => {
  const { random, places, ledger, authorizations } = around;
  const place = random.below(places.length);
  const address = places[place]?.address;
  if (address === undefined) return undefined;
  const { role, protocols } = trackOf(used.key);
  const protocol = random.pick(protocols);
  const id = ++sendings;
  ledger.write({ what: 'sent', id, ...used, body, protocol: protocol.name, place, ...(last && { last }) });
  try {
    const { status, headers, text } = await ask(address, callOf(protocol, used, body), {
      Authorization: authorizations[role],
      'Idempotency-Key': idempotencyKey(around, used),
    });
    const answer: Answered = {
      what: 'answered',
      id,
      status,
      transient: one(headers['transient-error']) === 'true',
      replayed: one(headers['idempotent-replayed']) === 'true',
      pspReference: one(headers.pspreference),
      echoed: one(headers['idempotency-key']),
      ...(status === 200 ? { canonical: canonicalOf(protocol, used.key, text) } : { code: codeOf(text) }),
    };
    ledger.write(answer);
    return answer;
  } catch (thrown) {
    ledger.write({ what: 'unanswered', id, reason: thrown instanceof Error ? thrown.message : String(thrown) });
    return undefined;
  }
};

/** Sends until an answer does not ask for another try; undefined where patience ends first. */
const settle = async (
  around: Surroundings,
  used: Used,
  body: Body,
  options: { readonly last?: boolean } = {},
): Promise<Answered | undefined> => {
  const endsAt = performance.now() + (options.last ? lastPatienceMsMax : patienceMsMax);
  while (performance.now() < endsAt) {
    const answer = await send(around, used, body, options);
    if (answer !== undefined && !answer.transient) return answer;
    await after(10 + around.random.below(90));
  }
  return undefined;
};

/** One to three copies at once; then perhaps late ones, and others that only have the key in common. Undefined unless all went well. */
const use = async (around: Surroundings, used: Used): Promise<Answered | undefined> => {
  const { random } = around;
  const copies = Array.from({ length: 1 + random.below(3) }, () => settle(around, used, 'right'));
  const answers = await Promise.all(copies);
  if (random.chance(0.3)) await settle(around, used, random.pick(wrongBodiesOf(used.key)));
  if (random.chance(0.3)) await settle(around, used, 'right');
  return answers.every((answer) => answer?.status === 200) ? answers[0] : undefined;
};

/** Goes on with new shoppers until it is told that it is over; gives the keys it used. */
export const work = async (around: Surroundings, name: string, over: AbortSignal): Promise<readonly Used[]> => {
  const { random } = around;
  const all: Used[] = [];
  for (let counted = 1; !over.aborted; counted += 1) {
    const shopper = `${name}-${counted}`;
    const own: Used[] = [];
    const keys = keysOf(random.pick(tracksOf(random.pick(roles))));
    let made: string | undefined;
    for (const key of random.chance(0.4) ? keys : keys.slice(0, -1)) {
      const used = { shopper, key, made };
      own.push(used);
      const answer = await use(around, used);
      if (answer === undefined || over.aborted) break;
      made ??= madeIn(answer.canonical);
    }
    all.push(...own);
    for (const used of own) if (random.chance(0.3)) await settle(around, used, 'right');
  }
  return all;
};

/** Asks for every key once more, now that nothing is in the way. */
export const askAgain = async (around: Surroundings, keys: readonly Used[], clients: number): Promise<void> => {
  const rest = keys.values();
  const each = async (): Promise<void> => {
    for (const used of rest) await settle(around, used, 'right', { last: true });
  };
  await Promise.all(Array.from({ length: clients }, each));
};

export const hangUp = (): void => agent.destroy();
