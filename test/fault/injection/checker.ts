/** The checker: compares the history of the clients with the effects that the database counted. */

import type { FaultTrack, Row } from '../../resources/resource.ts';
import type { Answered, HistoryEntry, Sent } from './history.ts';
import { roleOf, roles, tracks } from './request.ts';

/** One effect, as a trigger of the database recorded it. */
export interface Effect {
  /** The table. */
  readonly written: string;
  /** JSON: the row as it was written. */
  readonly row: string;
}

/** By the role of the operation. */
export type Doubled = Readonly<Record<string, number>>;

export interface Verdict {
  readonly keys: number;
  readonly requests: number;
  /** Requests without an answer, or with one that asks for a retry. */
  readonly disturbed: number;
  /** Effects beyond one for each key. */
  readonly doubled: number;
  /** The same by the role of the operation. */
  readonly doubledIn: Doubled;
  /** Keys answered with success that have no effect. */
  readonly lost: number;
  /** Keys with two answers that differ, or with two pspReferences. */
  readonly different: number;
  /** Answers that are not allowed, effects of a body that does not belong to the key, and numbers issued twice. */
  readonly wrong: number;
  /** Keys without a final answer. */
  readonly open: number;
  /** The first few findings as text. */
  readonly findings: readonly string[];
}

/** The error codes that allow a retry: failed (of a resource, too), unavailable, in progress. */
const transientCodes: ReadonlySet<string | undefined> = new Set(['701', '00_500', '703', '704']);

const writerOf = ({ written }: Effect): FaultTrack => tracks.find(({ table }) => table === written)!;
const rowOf = ({ row }: Effect): Row => JSON.parse(row);
const nameOf = ({ shopper, key }: { readonly shopper: string; readonly key: string }): string => `${shopper}-${key}`;
const ownerOf = (effect: Effect) => writerOf(effect).ownerOf(rowOf(effect));

/** A server that fails before it has authenticated the caller has not read the key. */
const isEchoed = ({ echoedKey, transient }: Answered, key: string): boolean =>
  echoedKey === key || (transient && echoedKey === undefined);

const byRole = (of: (role: string) => number): Doubled => Object.fromEntries(roles.map((role) => [role, of(role)]));

/** Effects beyond one for each key, as far as they are committed. */
export const doubledIn = (effects: readonly Effect[]): Doubled => {
  const owners = effects.flatMap((effect) => ownerOf(effect) ?? []);
  return byRole((role) => {
    const own = owners.filter(({ key }) => roleOf(key) === role);
    return own.length - new Set(own.map(nameOf)).size;
  });
};

/** Whether every role has a doubled effect: expected of a run without idempotency records. */
export const doubledEverywhere = (doubled: Doubled): boolean => Object.values(doubled).every((times) => times > 0);

/** The rows in which a number was issued for the second time. */
const issuedTwice = (effects: readonly Effect[]): readonly Row[] => {
  const owners = new Map<string, string>();
  return effects.flatMap((effect) => {
    const row = rowOf(effect);
    const issued = writerOf(effect).issuedIn?.(row);
    if (issued === undefined) return [];
    const owner = owners.get(issued.number) ?? issued.to;
    owners.set(issued.number, owner);
    return owner === issued.to ? [] : [row];
  });
};

/** What the history and the database hold of one key. */
interface KeyRecord {
  readonly key: string;
  readonly answers: Answered[];
  first: number;
  last: number;
  effects: number;
}

const isAllowed = ({ body }: Sent, { status, code, transient, canonical, pspReference }: Answered): boolean => {
  if (pspReference === undefined || !/^[A-Z0-9]{16}$/.test(pspReference)) return false;
  if (transient) return status !== 200 && transientCodes.has(code);
  return body === 'right' ? status === 200 && canonical !== undefined : status !== 200 && code === '704';
};

export const checkHistory = (entries: readonly HistoryEntry[], effects: readonly Effect[], run: string): Verdict => {
  const findings: string[] = [];
  const report = (what: string, about: object): void => {
    if (findings.length < 10) findings.push(`${what}: ${JSON.stringify(about)}`);
  };
  const sent = new Map<number, Sent>();
  const keys = new Map<string, KeyRecord>();
  let disturbed = 0;
  let wrong = 0;
  for (const entry of entries) {
    if (entry.what === 'sent') {
      sent.set(entry.number, entry);
      const name = nameOf(entry);
      if (!keys.has(name)) keys.set(name, { key: entry.key, answers: [], first: 0, last: 0, effects: 0 });
      continue;
    }
    if (entry.what === 'unanswered') {
      disturbed += 1;
      continue;
    }
    const request = sent.get(entry.number)!;
    const name = nameOf(request);
    const record = keys.get(name)!;
    if (!isAllowed(request, entry) || !isEchoed(entry, `${run}-${name}`)) {
      wrong += 1;
      report('not allowed', { request, answer: entry });
    }
    if (entry.transient) disturbed += 1;
    else if (request.body === 'right') {
      record.answers.push(entry);
      if (!entry.replayed) record.first += 1;
      if (request.last) record.last += 1;
    }
  }
  for (const effect of effects) {
    const owner = ownerOf(effect);
    const record = owner && keys.get(nameOf(owner));
    if (record === undefined) {
      wrong += 1;
      report('an effect that no key allowed', effect);
    } else record.effects += 1;
  }
  for (const row of issuedTwice(effects)) {
    wrong += 1;
    report('a number issued twice', row);
  }
  const count = (what: string, countIn: (record: KeyRecord) => number): number => {
    let sum = 0;
    for (const [name, record] of keys) {
      const times = countIn(record);
      if (times > 0) report(what, { name, ...record });
      sum += times;
    }
    return sum;
  };
  const texts = ({ answers }: KeyRecord) =>
    answers.map(({ status, code, canonical }) => canonical ?? `${status} ${code}`);
  const beyondOne = ({ effects }: KeyRecord) => Math.max(0, effects - 1);
  return {
    keys: keys.size,
    requests: sent.size,
    disturbed,
    doubled: count('doubled', beyondOne),
    doubledIn: byRole((role) =>
      [...keys.values()].filter(({ key }) => roleOf(key) === role).reduce((sum, record) => sum + beyondOne(record), 0),
    ),
    lost: count('lost', ({ answers, effects }) =>
      effects === 0 && answers.some(({ status }) => status === 200) ? 1 : 0,
    ),
    different: count('different', (record) =>
      new Set(texts(record)).size > 1 || new Set(record.answers.map(({ pspReference }) => pspReference)).size > 1
        ? 1
        : 0,
    ),
    // Only one answer to a key can be the original.
    wrong: wrong + count('more than one original answer', ({ first }) => Math.max(0, first - 1)),
    open: count('open', ({ last }) => (last === 0 ? 1 : 0)),
    findings,
  };
};

/** Whether no promise is broken. */
export const isClean = ({ keys, doubled, lost, different, wrong, open }: Verdict): boolean =>
  keys > 0 && doubled + lost + different + wrong + open === 0;
