/** Who calls: secrets as callers show them, found and compared; what is read of the database stands for a second. */
import type { KeyObject } from 'node:crypto';
import type { Caller } from '../../contract/canonical.ts';
import type { Clock } from '../../lib/clock-and-ids.ts';
import { findByLookup, findByUsername, type SecretRow } from './credential-statements.ts';
import type { Engine, Statement } from './engine.ts';
import {
  generateSecret,
  hashSecret,
  lookupOf,
  matches,
  type PepperKeys,
  pepperKeys,
  type SecretHash,
} from './secret-hash.ts';

/** A credential as a caller presents it. */
export type PresentedCredential =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'apiKey'; readonly secret: string };

export interface Credentials {
  /** The caller with this secret, or undefined; an unknown name takes as long as a wrong secret. */
  verify(presented: PresentedCredential): Promise<Caller | undefined>;
}

/** A revoked credential is let in for as long as this at most, and a new one may be refused. */
export const keptMsMax = 1_000;
const keptMax = 4_096;
/** A longer name is nobody's, and not worth a place among those kept. */
const usernameMax = 256;

/** No name has a NUL, and PostgreSQL would not even look for it. */
const isName = (text: string): boolean => text.length <= usernameMax && !text.includes('\0');

interface Found {
  /** Undefined for a stranger. */
  readonly caller: Caller | undefined;
  readonly secrets: readonly (SecretHash & { readonly validUntil: number | null })[];
  /** Milliseconds since the epoch. */
  readonly readAt: number;
  /**
   * Secrets that were right, with the end of their time, for as long as what was read stands. A map finds a text by its
   * seeded hash, so a wrong one takes no longer the more of it is right; comparing by an HMAC takes ten times as long.
   */
  readonly accepted: Map<string, number | null>;
}

type Find = (statement: Statement<SecretRow>, name: string) => Promise<Found>;

/** The column holds merchant accounts, or grants of other services as values by name. */
const grantsOf = ({ merchant_accounts: granted, balance_platform: platform }: SecretRow): Caller['grants'] => {
  const values: readonly string[] | Readonly<Record<string, readonly string[]>> = JSON.parse(granted);
  const named = Array.isArray(values) ? { merchantAccount: values } : values;
  const all = { ...named, ...(platform !== null && { balancePlatform: [platform] }) };
  return new Map(Object.entries(all).map(([name, each]) => [name, new Set(each)]));
};

const callerOf = (row: SecretRow): Caller =>
  Object.freeze({
    credential: row.credential_id,
    tenant: row.company,
    roles: new Set<string>(JSON.parse(row.roles)),
    grants: grantsOf(row),
    ...(row.balance_platform !== null && { partition: row.balance_platform }),
    requiresKey: row.requires_key === 1,
  });

const secretOf = (row: SecretRow) => ({
  salt: Buffer.from(row.salt, 'base64url'),
  hash: Buffer.from(row.hash, 'base64url'),
  validUntil: row.valid_until,
});

const find = (
  finds: Record<PresentedCredential['kind'], Find>,
  keys: PepperKeys,
  shown: PresentedCredential,
): Promise<Found> => {
  switch (shown.kind) {
    case 'basic':
      return finds.basic(findByUsername, isName(shown.username) ? shown.username : '');
    case 'apiKey':
      return finds.apiKey(findByLookup, lookupOf(keys, shown.secret));
    default:
      return shown satisfies never;
  }
};

const isValid = (validUntil: number | null, now: number): boolean => validUntil === null || now < validUntil;

/** Every secret is compared, whether or not an earlier one was the right one. */
const compare = (keys: PepperKeys, found: Found, secret: string, now: number): Caller | undefined => {
  const { caller, accepted } = found;
  const acceptedUntil = accepted.get(secret);
  if (acceptedUntil !== undefined && isValid(acceptedUntil, now)) return caller;
  let right: Found['secrets'][number] | undefined;
  for (const kept of found.secrets) if (matches(keys, kept, secret) && isValid(kept.validUntil, now)) right = kept;
  if (right === undefined || caller === undefined) return undefined;
  accepted.set(secret, right.validUntil);
  // What was found may lie here for long; a secret in the clear must not.
  setTimeout(() => accepted.clear(), keptMsMax).unref();
  return caller;
};

/**
 * Keeps what was found, strangers too, for `keptMsMax`; the oldest goes when there are more than `keptMax`. Those who come
 * while it is read wait for it: a storm of one caller would else ask the database as often as it has requests in flight.
 */
const remembering = (read: Find, clock: Clock): Find => {
  const kept = new Map<string, Found>();
  const reading = new Map<string, Promise<Found>>();
  const keep: Find = async (statement, name) => {
    const found = await read(statement, name);
    kept.delete(name);
    kept.set(name, found);
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
    return found;
  };
  return async (statement, name) => {
    const known = kept.get(name);
    if (known !== undefined) {
      const age = clock.now() - known.readAt;
      // A clock set back makes the age negative: read again rather than trust it for longer.
      if (age >= 0 && age < keptMsMax) return known;
    }
    const begun = reading.get(name) ?? keep(statement, name).finally(() => reading.delete(name));
    reading.set(name, begun);
    return begun;
  };
};

/** Two derived keys stand behind it: one finds an API key, the other compares any secret. */
export const createCredentials = (engine: Engine, pepper: KeyObject, clock: Clock): Credentials => {
  const keys = pepperKeys(pepper);
  // What a stranger's secret is compared with, so that an unknown name costs the same work as a wrong secret.
  const nobody = [{ ...hashSecret(keys, generateSecret()), validUntil: null }];
  const read: Find = async (statement, name) => {
    const readAt = clock.now();
    const rows = await engine.read((session) => session.query(statement, [name]));
    const [first] = rows;
    const accepted = new Map<string, number | null>();
    if (first === undefined) return { caller: undefined, secrets: nobody, readAt, accepted };
    return { caller: callerOf(first), secrets: rows.map(secretOf), readAt, accepted };
  };
  const finds = { basic: remembering(read, clock), apiKey: remembering(read, clock) };
  return Object.freeze<Credentials>({
    verify: async (shown) => {
      const found = await find(finds, keys, shown);
      return compare(keys, found, shown.secret, clock.now());
    },
  });
};
