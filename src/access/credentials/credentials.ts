/** Verifies the secrets of callers against the database; caches what was read for a second. */

import type { KeyObject } from 'node:crypto';
import type { Caller } from '../../core/contract/index.ts';
import { type CachedReads, type Clock, cacheReads } from '../../core/lib/index.ts';
import type { OtherKey } from '../../core/vault/index.ts';
import { type Engine, RowIntegrity, type Statement, signRow, verifyRow } from '../../stores/index.ts';
import { credentialSecrets, credentials } from '../tables.ts';
import { type BoundsRefusal, type CredentialBounds, type CredentialOrigin, createBounds } from './credential-bounds.ts';
import { authorizationOf, boundsOf, findByLookup, findByUsername, type SecretRow } from './credential-statements.ts';
import { createRehasher, type Rehasher } from './rehash-secret.ts';
import {
  certificateLookupOf,
  generateSecret,
  hashSecret,
  lookupOf,
  matches,
  type PepperKeys,
  pepperKeys,
  type StoredSecret,
} from './secret-hash.ts';

/** A credential with its secret, as a caller presents it. */
export type PresentedSecret =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'apiKey'; readonly secret: string };

/** The fingerprint of a certificate that the caller has proved stands for a secret. */
export type PresentedCredential = PresentedSecret | { readonly kind: 'certificate'; readonly secret: string };

/** Why a credential is refused. For operators: the caller sees the same refusal for each. */
export type CredentialRefusal = 'unknownName' | 'wrongSecret' | BoundsRefusal | 'secondFactor';

export type Verification =
  | { readonly caller: Caller }
  | {
      readonly caller?: undefined;
      readonly refusal: CredentialRefusal;
      /** The credential that has the name, where there is one. */
      readonly credential?: string;
      readonly tenant?: string;
    };

export interface Credentials {
  /** Returns the caller with this secret, or why there is none. An unknown name takes as long as a wrong secret. */
  verify(presented: PresentedCredential, origin?: CredentialOrigin): Promise<Verification>;
  /** Drops what is cached. */
  forget?(): void;
}

/** The longest time for which a revoked credential is still accepted, and a new one still refused. */
export const cacheMsMax = 1_000;
const cachedMax = 4_096;
/** No credential has a longer username. A longer one would only fill the cache. */
const usernameMax = 256;

/** The result of one lookup. Nothing of it is computed that only a right secret needs: the time would tell names that exist. */
interface Found {
  /** Undefined where no credential has the name. */
  readonly first: SecretRow | undefined;
  /** The secrets to compare, with decoys. */
  readonly secrets: readonly StoredSecret[];
  /**
   * Secrets that let their caller in, with the end of their validity. A map finds a text by its seeded hash, so a wrong secret takes no
   * longer where more of it is right. Comparing by an HMAC takes ten times as long.
   */
  readonly accepted: Map<string, number | null>;
  /** Once a secret was right. */
  bounds?: CredentialBounds;
  caller?: Caller;
}

/** A credential has one secret, and two while it is rotated. As many are compared for each name. */
const comparedMin = 2;

/** The origin of a credential that no request carries. */
const nowhere: CredentialOrigin = Object.freeze({});

type Caches = Readonly<Record<PresentedCredential['kind'], CachedReads<Found>>>;

/** Derives keys from the pepper: one finds an API key, one a certificate, and one compares secrets. `onUse`: for each success. `other`: a second pepper. */
export function createCredentials(
  engine: Engine,
  pepper: KeyObject,
  clock: Clock,
  onUse: (caller: Caller, now: number) => void = () => {},
  other?: OtherKey,
  integrity = new RowIntegrity(),
): Credentials {
  const keys = pepperKeys(pepper);
  const allKeys = other === undefined ? [keys] : [keys, pepperKeys(other.key)];
  // Where the other pepper is on standby, servers may not know the current one yet, and nothing changes.
  const rehasher = other?.state === 'old' ? createRehasher(engine, keys, integrity) : undefined;
  const decoys = createDecoys(keys, integrity);
  const read = async (statement: Statement<SecretRow>, name: string): Promise<Found> => {
    const rows = await engine.read((session) => session.query(statement, [name]));
    // A row with another name is that of another credential.
    const own = rows[0]?.username === name || rows[0]?.lookup === name ? rows : [];
    const padded = [...own, ...decoys().slice(0, Math.max(comparedMin - own.length, 0))];
    for (const row of padded) verifyCredentialRow(integrity, row);
    return { first: own[0], secrets: padded.map(secretOf), accepted: new Map() };
  };
  const cached = (statement: Statement<SecretRow>) =>
    cacheReads((name) => read(statement, name), { clock, msMax: cacheMsMax, max: cachedMax });
  const caches: Caches = {
    basic: cached(findByUsername),
    apiKey: cached(findByLookup),
    certificate: cached(findByLookup),
  };
  return Object.freeze<Credentials>({
    verify: async (presented, origin = nowhere) => {
      const found = await findUnderEach(caches, allKeys, presented);
      const now = clock.now();
      const verification = decide(allKeys, found, { presented, origin, now, rehasher });
      if (verification.caller !== undefined) onUse(verification.caller, now);
      return verification;
    },
    forget() {
      for (const each of Object.values(caches)) each.forget();
    },
  });
}

/** During a rotation of the pepper, an API key is looked up under both. */
function findUnderEach(
  caches: Caches,
  [keys, ...others]: readonly PepperKeys[],
  presented: PresentedCredential,
): Found | Promise<Found> {
  const found = find(caches, keys!, presented);
  if (others.length === 0 || presented.kind === 'basic') return found;
  return Promise.resolve(found).then((each) =>
    each.first === undefined ? findUnderEach(caches, others, presented) : each,
  );
}

function find(caches: Caches, keys: PepperKeys, presented: PresentedCredential): Found | Promise<Found> {
  switch (presented.kind) {
    case 'basic':
      return caches.basic.find(isUsername(presented.username) ? presented.username : '');
    case 'apiKey':
      return caches.apiKey.find(lookupOf(keys, presented.secret));
    case 'certificate':
      return caches.certificate.find(certificateLookupOf(keys, presented.secret));
    default:
      return presented satisfies never;
  }
}

/** PostgreSQL refuses a text with a NUL; no username has one. */
function isUsername(text: string): boolean {
  return text.length <= usernameMax && !text.includes('\0');
}

interface Attempt {
  readonly presented: PresentedCredential;
  readonly origin: CredentialOrigin;
  readonly now: number;
  readonly rehasher: Rehasher | undefined;
}

/** Compares every secret, even after a match, so that the time does not depend on which one matches. Only what lets a caller in is faster. */
function decide(allKeys: readonly PepperKeys[], found: Found, attempt: Attempt): Verification {
  const { presented, origin, now, rehasher } = attempt;
  const { kind, secret } = presented;
  const { first, accepted } = found;
  const acceptedUntil = accepted.get(secret);
  if (acceptedUntil !== undefined && isValid(acceptedUntil, now)) {
    const { bounds, caller } = found;
    if (caller !== undefined && bounds?.refuse(origin, now) === undefined) return { caller };
  }
  let match: Found['secrets'][number] | undefined;
  let matching: PepperKeys | undefined;
  for (const keys of allKeys)
    for (const stored of found.secrets)
      if (matches(keys, stored, secret) && isValid(stored.validUntil, now)) {
        match = stored;
        matching = keys;
      }
  if (first === undefined) return { refusal: 'unknownName' };
  const { credential_id: credential, tenant } = first;
  if (match === undefined) return { refusal: 'wrongSecret', credential, tenant };
  found.bounds ??= createBounds(boundsOf(first));
  const refusal = found.bounds.refuse(origin, now);
  if (refusal !== undefined) return { refusal, credential, tenant };
  found.caller ??= callerOf(first);
  const { caller } = found;
  if (matching !== allKeys[0]) rehasher?.(caller, match, kind, secret);
  accepted.set(secret, match.validUntil);
  // The cache may hold the entry for longer; it must not hold a secret in the clear.
  setTimeout(() => accepted.clear(), cacheMsMax).unref();
  return { caller };
}

/**
 * Returns rows of a credential that nobody has. They fill up what is verified and compared, so that a name costs the same work
 * whether no credential has it, or one with one secret or with two.
 */
function createDecoys(keys: PepperKeys, integrity: RowIntegrity): () => readonly SecretRow[] {
  const rows = Array.from({ length: comparedMin }, (_, at) => decoyRow(keys, `decoy ${at}`));
  let signed: readonly SecretRow[] = [];
  let hasKeys: boolean | undefined;
  return () => {
    if (hasKeys !== integrity.hasKeys)
      signed = rows.map((row) => ({
        ...row,
        row_mac: signRow(integrity, credentials, row),
        secret_mac: signRow(integrity, credentialSecrets, row),
      }));
    hasKeys = integrity.hasKeys;
    return signed;
  };
}

function decoyRow(keys: PepperKeys, id: string): SecretRow {
  const { salt, hash } = hashSecret(keys, generateSecret());
  return {
    ...{ tenant: '', credential_id: id, kind: 'basic', username: id, roles: '[]', grants: '{}', requires_key: 0 },
    ...{ tenant_partition: null, read_only: 0, expires_at: null, networks: null, certificates: null },
    ...{ secret_id: id, lookup: null, valid_until: null, row_mac: null, secret_mac: null },
    ...{ salt: salt.toString('base64url'), hash: hash.toString('base64url') },
  };
}

function isValid(validUntil: number | null, now: number): boolean {
  return validUntil === null || now < validUntil;
}

/** Throws `RowAltered`: neither the rights nor the hash of the row are to be believed. */
export function verifyCredentialRow(integrity: RowIntegrity, row: SecretRow): void {
  verifyRow(integrity, credentials, row);
  verifyRow(integrity, credentialSecrets, { ...row, row_mac: row.secret_mac });
}

export function callerOf(row: SecretRow): Caller {
  const { roles, grants, readOnly } = authorizationOf(row);
  return Object.freeze({
    credential: row.credential_id,
    tenant: row.tenant,
    roles: new Set(roles),
    grants: new Map(Object.entries(grants).map(([name, values]) => [name, new Set(values)])),
    ...(readOnly && { readOnly }),
    ...(row.tenant_partition !== null && { partition: row.tenant_partition }),
    requiresKey: row.requires_key === 1,
  });
}

function secretOf(row: SecretRow) {
  return {
    id: row.secret_id,
    salt: Buffer.from(row.salt, 'base64url'),
    hash: Buffer.from(row.hash, 'base64url'),
    validUntil: row.valid_until,
  };
}
