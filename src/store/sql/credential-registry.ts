/** What the command line does with credentials and merchant accounts: adds, lists, rotates and revokes. */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock-and-ids.ts';
import * as sql from './credential-statements.ts';
import type { PresentedCredential } from './credentials.ts';
import type { Engine, Session } from './engine.ts';
import { generateSecret, hashSecret, lookupOf, type PepperKeys, pepperKeys } from './secret-hash.ts';

export type CredentialKind = PresentedCredential['kind'];

export interface NewCredential {
  /** Letters, digits, `_` and `-`. */
  readonly company: string;
  readonly kind: CredentialKind;
  /**
   * `{name}@Company.{company}`, or `{name}@BalancePlatform.{company}` for a balance platform; only for `basic`, where `ws`
   * is the name when it is left out.
   */
  readonly username?: string | undefined;
  readonly roles: readonly string[];
  /** Codes of accounts of the company. */
  readonly merchantAccounts: readonly string[];
  /** A balance platform of the company, for which alone it acts; it then has no merchant accounts. */
  readonly balancePlatform?: string | undefined;
  /** It may not write without an Idempotency-Key. */
  readonly requiresKey?: boolean | undefined;
  /** Only for a demonstration whose secrets are published; generated when it is left out. */
  readonly secret?: string | undefined;
}

/** The only time that the secret is shown. */
export interface IssuedSecret {
  readonly id: string;
  readonly username?: string | undefined;
  readonly secret: string;
}

/** Moments are milliseconds since the epoch. */
export interface ListedCredential {
  readonly id: string;
  readonly company: string;
  readonly kind: CredentialKind;
  readonly username?: string | undefined;
  readonly roles: readonly string[];
  readonly merchantAccounts: readonly string[];
  readonly balancePlatform?: string | undefined;
  readonly requiresKey: boolean;
  readonly createdAt: number;
  readonly revokedAt?: number | undefined;
  /** `validUntil` is absent for the current secret. */
  readonly secrets: readonly { readonly createdAt: number; readonly validUntil?: number | undefined }[];
}

/** What was asked of the registry cannot be done; the message says why and is for the one at the command line. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

/** The company that a balance platform belongs to; the service that has the platforms knows it. */
export type FindPlatformCompany = (session: Session, platform: string) => Promise<string | undefined>;

export interface Registry {
  /** Makes the account known; again for the same company it does nothing. The company exists by having one. */
  addMerchantAccount(company: string, code: string): Promise<void>;
  /** By company and code. */
  listMerchantAccounts(): Promise<readonly { readonly company: string; readonly code: string }[]>;
  findCompany(merchantAccount: string): Promise<string | undefined>;
  addCredential(credential: NewCredential): Promise<IssuedSecret>;
  /** By company, oldest first; revoked ones too. */
  listCredentials(): Promise<readonly ListedCredential[]>;
  /** Gives a new secret; the ones before stay good for `graceMs` more. */
  rotateCredential(id: string, options: { readonly graceMs: number }): Promise<IssuedSecret>;
  /** Serving processes let it in for a second more at most. */
  revokeCredential(id: string): Promise<void>;
}

const companyPattern = /^[A-Za-z0-9_-]{1,80}$/;
const accountPattern = /^[A-Za-z0-9_.-]{1,80}$/;
const namePattern = /^[A-Za-z0-9_.-]{1,80}$/;

const findCompany = async (session: Session, code: string): Promise<string | undefined> =>
  (await session.query(sql.findAccount, [code]))[0]?.company;

/** Throws `RegistryError`. */
export const checkCompany = (company: string): void => {
  if (!companyPattern.test(company)) {
    throw new RegistryError('a company has 1 to 80 letters, digits, underscores and hyphens');
  }
};

const addMerchantAccount = async (session: Session, company: string, code: string, now: number): Promise<void> => {
  checkCompany(company);
  if (!accountPattern.test(code)) {
    throw new RegistryError('a merchant account has 1 to 80 letters, digits, dots, underscores and hyphens');
  }
  await session.execute(sql.addAccount, [company, code, now]);
  if ((await findCompany(session, code)) !== company) {
    throw new RegistryError(`merchant account ${code} belongs to another company`);
  }
};

/** A credential acts for merchant accounts or for one balance platform, and has the role of what it acts for. */
const checkScope = async (
  session: Session,
  wanted: NewCredential,
  findPlatformCompany: FindPlatformCompany,
): Promise<void> => {
  const { company, roles, merchantAccounts, balancePlatform } = wanted;
  for (const code of merchantAccounts) {
    if ((await findCompany(session, code)) !== company) {
      throw new RegistryError(`merchant account ${code} is not one of ${company}; add it first`);
    }
  }
  if (balancePlatform === undefined) {
    if (roles.includes('balancePlatform')) throw new RegistryError('the role balancePlatform needs a balance platform');
    return;
  }
  if (merchantAccounts.length > 0 || roles.some((role) => role !== 'balancePlatform')) {
    throw new RegistryError('a credential of a balance platform has no merchant accounts, and no other role');
  }
  if ((await findPlatformCompany(session, balancePlatform)) !== company) {
    throw new RegistryError(`balance platform ${balancePlatform} is not one of ${company}; add it first`);
  }
};

const usernameOf = ({ company, kind, username, balancePlatform }: NewCredential): string | undefined => {
  switch (kind) {
    case 'apiKey':
      if (username !== undefined) throw new RegistryError('an API key has no username');
      return undefined;
    case 'basic': {
      const ending = `@${balancePlatform === undefined ? 'Company' : 'BalancePlatform'}.${company}`;
      const given = username ?? `ws${ending}`;
      if (!given.endsWith(ending) || !namePattern.test(given.slice(0, -ending.length))) {
        throw new RegistryError(`the username of a credential of ${company} reads {name}${ending}`);
      }
      return given;
    }
    default:
      return kind satisfies never;
  }
};

interface SecretOf {
  readonly company: string;
  readonly id: string;
  readonly kind: CredentialKind;
  readonly secret?: string | undefined;
  readonly now: number;
}

const addSecret = async (session: Session, keys: PepperKeys, of: SecretOf): Promise<string> => {
  const secret = of.secret ?? generateSecret();
  if (secret === '') throw new RegistryError('a secret is not empty');
  const { salt, hash } = hashSecret(keys, secret);
  const lookup = of.kind === 'apiKey' ? lookupOf(keys, secret) : null;
  const secretId = randomBytes(9).toString('base64url');
  const row = [of.company, of.id, secretId, lookup, salt.toString('base64url'), hash.toString('base64url'), of.now];
  if ((await session.execute(sql.addSecret, row)) === 0) throw new RegistryError('another API key has this secret');
  return secret;
};

const addCredential = async (
  session: Session,
  keys: PepperKeys,
  wanted: NewCredential,
  now: number,
  findPlatformCompany: FindPlatformCompany,
): Promise<IssuedSecret> => {
  const { company, kind, roles, merchantAccounts } = wanted;
  checkCompany(company);
  await checkScope(session, wanted, findPlatformCompany);
  const username = usernameOf(wanted);
  const id = `cr_${randomBytes(9).toString('base64url')}`;
  const may = [JSON.stringify(roles), JSON.stringify(merchantAccounts)];
  const row = [
    ...[company, id, kind, username ?? null, ...may, now],
    ...[wanted.requiresKey ? 1 : 0, wanted.balancePlatform ?? null],
  ];
  if ((await session.execute(sql.addCredential, row)) === 0) {
    throw new RegistryError(`${username} is taken; rotate or revoke that credential, or give another username`);
  }
  const secret = await addSecret(session, keys, { company, id, kind, secret: wanted.secret, now });
  return { id, username, secret };
};

const listed = (rows: readonly sql.ListedRow[]): ListedCredential => {
  const row = rows[0]!;
  return {
    id: row.credential_id,
    company: row.company,
    kind: row.kind as CredentialKind,
    username: row.username ?? undefined,
    roles: JSON.parse(row.roles),
    merchantAccounts: JSON.parse(row.merchant_accounts),
    balancePlatform: row.balance_platform ?? undefined,
    requiresKey: row.requires_key === 1,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    secrets: rows.flatMap(({ secret_created_at: createdAt, valid_until: validUntil }) =>
      createdAt === null ? [] : [{ createdAt, validUntil: validUntil ?? undefined }],
    ),
  };
};

const listCredentials = async (session: Session): Promise<readonly ListedCredential[]> => {
  const rows = await session.query(sql.listAll, []);
  return [...Map.groupBy(rows, (row) => row.credential_id).values()].map(listed);
};

const findLive = async (session: Session, id: string): Promise<sql.LiveRow> => {
  const [live] = await session.query(sql.findLive, [id]);
  if (live === undefined) throw new RegistryError(`no live credential has the id ${id}`);
  return live;
};

const rotateCredential = async (
  session: Session,
  keys: PepperKeys,
  id: string,
  graceMs: number,
  now: number,
): Promise<IssuedSecret> => {
  if (!Number.isSafeInteger(graceMs) || graceMs < 0) throw new RegistryError('the grace is a number of milliseconds');
  const { company, kind } = await findLive(session, id);
  await session.execute(sql.endSecrets, [company, id, now + graceMs]);
  await session.execute(sql.dropEndedSecrets, [company, id, now]);
  return { id, secret: await addSecret(session, keys, { company, id, kind: kind as CredentialKind, now }) };
};

const revokeCredential = async (session: Session, id: string, now: number): Promise<void> => {
  const { company } = await findLive(session, id);
  await session.execute(sql.revoke, [company, id, now]);
  await session.execute(sql.dropSecrets, [company, id]);
};

export const createCredentialRegistry = (
  engine: Engine,
  pepper: KeyObject,
  clock: Clock,
  findPlatformCompany: FindPlatformCompany,
): Registry => {
  const keys = pepperKeys(pepper);
  return Object.freeze<Registry>({
    addMerchantAccount: (company, code) =>
      engine.write((session) => addMerchantAccount(session, company, code, clock.now())),
    listMerchantAccounts: () => engine.read((session) => session.query(sql.listAccounts, [])),
    findCompany: (merchantAccount) => engine.read((session) => findCompany(session, merchantAccount)),
    addCredential: (credential) =>
      engine.write((session) => addCredential(session, keys, credential, clock.now(), findPlatformCompany)),
    listCredentials: () => engine.read(listCredentials),
    rotateCredential: (id, { graceMs }) =>
      engine.write((session) => rotateCredential(session, keys, id, graceMs, clock.now())),
    revokeCredential: (id) => engine.write((session) => revokeCredential(session, id, clock.now())),
  });
};
