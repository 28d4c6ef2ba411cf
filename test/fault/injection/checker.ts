/** The judge: what the clients were told, against what the database counted. */
import { type Role, roles } from '../../../src/contract/operation.ts';
import type { Answered, Entry, Sent } from './history.ts';
import { type KeyName, trackOf, tracks } from './request.ts';
import type { Row, Track } from './tracks/track.ts';

/** One execution, as a trigger of the database noted it. */
export interface Effect {
  /** The table that it wrote to. */
  readonly written: string;
  /** JSON: the row as it was written. */
  readonly row: string;
}

export type Doubled = Readonly<Record<Role, number>>;

export interface Verdict {
  readonly keys: number;
  readonly requests: number;
  /** Requests that no answer came to, or only one that asks to come again. */
  readonly disturbed: number;
  /** Executions beyond one for each key. */
  readonly doubled: number;
  /** The same by the role that the key is used in. */
  readonly doubledIn: Doubled;
  /** Keys answered with success whose effect is not there. */
  readonly lost: number;
  /** Keys with two answers that differ, or with two pspReferences. */
  readonly different: number;
  /** Answers that are not allowed, effects of a body that its key does not belong to, and numbers issued twice. */
  readonly wrong: number;
  /** Keys without an answer in the end. */
  readonly open: number;
  /** The first few findings, in words. */
  readonly findings: readonly string[];
}

/** Refusals that may ask for another try, by their codes: failed (of a resource, too), unavailable, in progress. */
const passing: ReadonlySet<string | undefined> = new Set(['701', '00_500', '703', '704']);

const writerOf = ({ written }: Effect): Track => tracks.find(({ table }) => table === written)!;
const rowOf = ({ row }: Effect): Row => JSON.parse(row);
const nameOf = ({ shopper, key }: { readonly shopper: string; readonly key: string }): string => `${shopper}-${key}`;
const ownerOf = (effect: Effect) => writerOf(effect).ownerOf(rowOf(effect));

/** A server that cannot even ask who calls has not come to the key. */
const isEchoed = ({ echoed, transient }: Answered, key: string): boolean =>
  echoed === key || (transient && echoed === undefined);

const byRole = (of: (role: Role) => number): Doubled =>
  Object.fromEntries(roles.map((role) => [role, of(role)])) as Doubled;

/** Executions beyond one for each key, as far as they are counted. */
export const doubledIn = (effects: readonly Effect[]): Doubled => {
  const owners = effects.flatMap((effect) => ownerOf(effect) ?? []);
  return byRole((role) => {
    const own = owners.filter(({ key }) => trackOf(key as KeyName).role === role);
    return own.length - new Set(own.map(nameOf)).size;
  });
};

/** What a control is to show: no role gets on without the journal. */
export const doubledEverywhere = (doubled: Doubled): boolean => Object.values(doubled).every((times) => times > 0);

/** Of what was issued twice, the second ones. */
const issuedTwice = (effects: readonly Effect[]): readonly Row[] => {
  const holders = new Map<string, string>();
  return effects.flatMap((effect) => {
    const row = rowOf(effect);
    const issued = writerOf(effect).issuedIn?.(row);
    if (issued === undefined) return [];
    const holder = holders.get(issued.number) ?? issued.to;
    holders.set(issued.number, holder);
    return holder === issued.to ? [] : [row];
  });
};

interface Heard {
  readonly key: KeyName;
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
  const keys = new Map<string, Heard>();
  let disturbed = 0;
  let wrong = 0;
  for (const entry of entries) {
    if (entry.what === 'sent') {
      sent.set(entry.id, entry);
      const name = nameOf(entry);
      if (!keys.has(name)) keys.set(name, { key: entry.key, answers: [], first: 0, last: 0, executed: 0 });
      continue;
    }
    if (entry.what === 'unanswered') {
      disturbed += 1;
      continue;
    }
    const asked = sent.get(entry.id)!;
    const name = nameOf(asked);
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
    const owner = ownerOf(effect);
    const record = owner && keys.get(nameOf(owner));
    if (record === undefined) {
      wrong += 1;
      found('an effect that no key allowed', effect);
    } else record.executed += 1;
  }
  for (const row of issuedTwice(effects)) {
    wrong += 1;
    found('a number issued twice', row);
  }
  const count = (what: string, holds: (record: Heard) => number): number => {
    let sum = 0;
    for (const [name, record] of keys) {
      const times = holds(record);
      if (times > 0) found(what, { name, ...record });
      sum += times;
    }
    return sum;
  };
  const texts = ({ answers }: Heard) => answers.map(({ status, code, canonical }) => canonical ?? `${status} ${code}`);
  const beyondOne = ({ executed }: Heard) => Math.max(0, executed - 1);
  return {
    keys: keys.size,
    requests: sent.size,
    disturbed,
    doubled: count('doubled', beyondOne),
    doubledIn: byRole((role) =>
      [...keys.values()]
        .filter(({ key }) => trackOf(key).role === role)
        .reduce((sum, record) => sum + beyondOne(record), 0),
    ),
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
