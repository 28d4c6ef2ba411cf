/** The judge: what the clients were told, against what the database counted. */
import type { Answered, Entry, Sent } from './ledger.ts';
import { type KeyName, rightContracts, rightDigits } from './request.ts';

/** One execution, as a trigger of the database noted it. */
export interface Effect {
  readonly shopper: string;
  readonly kind: 'stored' | 'disabled';
  readonly contracts: string;
  /** JSON: what is shown of the detail. */
  readonly open_part: string;
}

export interface Verdict {
  readonly keys: number;
  readonly requests: number;
  /** Requests that no answer came to, or only one that asks to come again. */
  readonly disturbed: number;
  /** Executions beyond one for each key. */
  readonly doubled: number;
  /** Keys answered with success whose effect is not there. */
  readonly lost: number;
  /** Keys with two answers that differ, or with two pspReferences. */
  readonly different: number;
  /** Answers that are not allowed, and effects of a body that its key does not belong to. */
  readonly wrong: number;
  /** Keys without an answer in the end. */
  readonly open: number;
  /** The first few findings, in words. */
  readonly findings: readonly string[];
}

/** Refusals that may ask for another try, by their codes: failed, unavailable, in progress. */
const passing: ReadonlySet<string | undefined> = new Set(['701', '703', '704']);

/** The key that an execution belongs to; undefined for one that no key allowed. */
const keyOf = ({ kind, contracts, open_part }: Effect): KeyName | undefined => {
  const card = (JSON.parse(open_part) as { readonly card?: { readonly number: string; readonly holderName: string } })
    .card;
  if (contracts !== rightContracts.join() || card?.number !== rightDigits) return undefined;
  return kind === 'disabled' ? 'B' : (card.holderName as KeyName);
};

/** A server that cannot even ask who calls has not come to the key. */
const isEchoed = ({ echoed, transient }: Answered, key: string): boolean =>
  echoed === key || (transient && echoed === undefined);

/** Executions beyond one for each key, as far as they are counted. */
export const doubledIn = (effects: readonly Effect[]): number =>
  effects.length - new Set(effects.map((effect) => `${effect.shopper}-${keyOf(effect)}`)).size;

interface Record {
  readonly answers: Answered[];
  first: number;
  last: number;
  executed: number;
}

const allowed = ({ body }: Sent, { status, code, transient, canonical, pspReference }: Answered): boolean => {
  if (pspReference === undefined || !/^[A-Z0-9]{16}$/.test(pspReference)) return false;
  if (transient) return status !== 200 && passing.has(code);
  return body === 'right' ? status === 200 && canonical !== undefined : status !== 200 && code === '704';
};

export const judge = (entries: readonly Entry[], effects: readonly Effect[], run: string): Verdict => {
  const findings: string[] = [];
  const found = (what: string, about: object): void => {
    if (findings.length < 10) findings.push(`${what}: ${JSON.stringify(about)}`);
  };
  const sent = new Map<number, Sent>();
  const keys = new Map<string, Record>();
  let disturbed = 0;
  let wrong = 0;
  for (const entry of entries) {
    if (entry.what === 'sent') {
      sent.set(entry.id, entry);
      const name = `${entry.shopper}-${entry.key}`;
      if (!keys.has(name)) keys.set(name, { answers: [], first: 0, last: 0, executed: 0 });
      continue;
    }
    if (entry.what === 'unanswered') {
      disturbed += 1;
      continue;
    }
    const asked = sent.get(entry.id)!;
    const name = `${asked.shopper}-${asked.key}`;
    const record = keys.get(name)!;
    if (!allowed(asked, entry) || !isEchoed(entry, `${run}-${name}`)) {
      wrong += 1;
      found('not allowed', { asked, answer: entry });
    }
    if (entry.transient) disturbed += 1;
    else if (asked.body === 'right') {
      record.answers.push(entry);
      if (!entry.replayed) record.first += 1;
      if (asked.last) record.last += 1;
    }
  }
  for (const effect of effects) {
    const key = keyOf(effect);
    const record = key === undefined ? undefined : keys.get(`${effect.shopper}-${key}`);
    if (record === undefined) {
      wrong += 1;
      found('an effect that no key allowed', effect);
    } else record.executed += 1;
  }
  const count = (what: string, holds: (record: Record) => number): number => {
    let sum = 0;
    for (const [name, record] of keys) {
      const times = holds(record);
      if (times > 0) found(what, { name, ...record });
      sum += times;
    }
    return sum;
  };
  const texts = ({ answers }: Record) => answers.map(({ status, code, canonical }) => canonical ?? `${status} ${code}`);
  return {
    keys: keys.size,
    requests: sent.size,
    disturbed,
    doubled: count('doubled', ({ executed }) => Math.max(0, executed - 1)),
    lost: count('lost', ({ answers, executed }) =>
      executed === 0 && answers.some(({ status }) => status === 200) ? 1 : 0,
    ),
    different: count('different', (record) =>
      new Set(texts(record)).size > 1 || new Set(record.answers.map(({ pspReference }) => pspReference)).size > 1
        ? 1
        : 0,
    ),
    // Only one answer to a key can be the first.
    wrong: wrong + count('first more than once', ({ first }) => Math.max(0, first - 1)),
    open: count('open', ({ last }) => (last === 0 ? 1 : 0)),
    findings,
  };
};

export const holds = ({ keys, doubled, lost, different, wrong, open }: Verdict): boolean =>
  keys > 0 && doubled + lost + different + wrong + open === 0;
