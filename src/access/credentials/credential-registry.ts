/** Adds, edits, lists, rotates and revokes credentials. */

import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../core/lib/index.ts';
import { type Engine, findWrongRows, RowIntegrity, type Session } from '../../stores/index.ts';
import type { AuditDetail } from '../audit/audit-event.ts';
import { type AuditedWrite, writeUnaudited } from '../audit/audited-write.ts';
import { credentialSecrets, credentials } from '../tables.ts';
import {
  addSecret,
  addWithCertificates,
  addWithSecret,
  type IssuedSecret,
  listText,
  type NewCertificateCredential,
  type NewCredential,
  type RegistryParts,
  requireCertificate,
} from './add-credential.ts';
import { signCredential, verifyCredential } from './credential-integrity.ts';
import { type ListedCredential, listCredentials } from './credential-list.ts';
import { type Bounds, type CredentialRules, checkBounds, checkConfinement, RegistryError } from './credential-rules.ts';
import * as sql from './credential-statements.ts';
import { generateSecret, pepperKeys } from './secret-hash.ts';

/** What of a credential changes. Absent members stay. `null` removes the limit. */
export interface CredentialChanges {
  readonly roles?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  readonly expiresAt?: number | null | undefined;
  readonly networks?: readonly string[] | null | undefined;
  readonly certificates?: readonly string[] | null | undefined;
}

/** The credentials of callers. */
export interface CredentialRegistry {
  addCredential(credential: NewCredential): Promise<IssuedSecret>;
  addCertificateCredential(credential: NewCertificateCredential): Promise<{ readonly id: string }>;
  /** Serving processes notice it within a second. */
  editCredential(id: string, changes: CredentialChanges): Promise<void>;
  /** Sorted by tenant, oldest first; includes revoked credentials. */
  listCredentials(): Promise<readonly ListedCredential[]>;
  /** Returns a new secret. Earlier secrets expire after `graceMs`. */
  rotateCredential(id: string, options: { readonly graceMs: number }): Promise<IssuedSecret>;
  /** Serving processes accept it for at most one more second (`cacheMsMax`). */
  revokeCredential(id: string): Promise<void>;
}

export function createCredentialRegistry(
  engine: Engine,
  pepper: KeyObject,
  clock: Clock,
  rules: CredentialRules,
  write: AuditedWrite = writeUnaudited(engine),
  integrity = new RowIntegrity(),
): CredentialRegistry {
  const parts: RegistryParts = { keys: pepperKeys(pepper), rules, clock, integrity };
  return Object.freeze<CredentialRegistry>({
    addCredential: (credential) =>
      write(async (session, record) => {
        const issued = await addWithSecret(session, parts, credential);
        record('credentialMade', issued.id, describe(credential, issued.username));
        return issued;
      }),
    addCertificateCredential: (credential) =>
      write(async (session, record) => {
        const issued = await addWithCertificates(session, parts, credential);
        record('credentialMade', issued.id, { ...describe(credential), kind: 'certificate' });
        return issued;
      }),
    editCredential: (id, changes) =>
      write(async (session, record) => {
        await editCredential(session, parts, id, changes);
        record('credentialChanged', id, { members: namesOf(changes).join(' ') });
      }),
    async listCredentials() {
      const { wrong } = await findWrongRows({ engine, integrity, tables: [credentials, credentialSecrets] });
      const altered = new Set(wrong.map(({ id }) => id));
      const listed = await engine.read(listCredentials);
      return listed.map((each) => (altered.has(each.id) ? { ...each, altered: true } : each));
    },
    rotateCredential: (id, { graceMs }) =>
      write(async (session, record) => {
        const issued = await rotateCredential(session, parts, id, graceMs);
        record('credentialRotated', id, { graceMs });
        return issued;
      }),
    revokeCredential: (id) =>
      write(async (session, record) => {
        await revokeCredential(session, id, clock.now());
        record('credentialRevoked', id);
      }),
  });
}

function namesOf(changes: CredentialChanges): readonly string[] {
  return Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : name));
}

/** Returns what the audit log says of a credential. */
function describe(
  credential: Omit<NewCredential, 'kind'> & { readonly kind?: string },
  username?: string,
): AuditDetail {
  const { tenant, kind, roles, grants, readOnly } = credential;
  const granted = Object.entries(grants).map(([name, values]) => `${name} ${values.join(' ')}`);
  return { tenant, kind, username, roles: roles.join(' '), grants: granted.join(', '), readOnly };
}

async function editCredential(
  session: Session,
  { keys, rules, clock, integrity }: RegistryParts,
  id: string,
  changes: CredentialChanges,
): Promise<void> {
  const now = clock.now();
  const live = await findLive(session, id);
  await verifyCredential(session, integrity, id);
  const { tenant } = live;
  const before = sql.authorizationOf(live);
  const roles = changes.roles ?? before.roles;
  const bounds: Bounds = {
    expiresAt: changed(changes.expiresAt, before.expiresAt),
    networks: changed(changes.networks, before.networks),
    certificates: changed(changes.certificates, before.certificates),
  };
  // An expiry that is over may stay as it is.
  checkBounds({ ...bounds, expiresAt: changes.expiresAt ?? undefined }, now);
  checkConfinement({ roles, grants: before.grants }, rules);
  if (live.kind === 'certificate' && changes.certificates !== undefined) {
    const certificates = changes.certificates ?? [];
    requireCertificate(certificates);
    await session.execute(sql.dropSecrets, [tenant, id]);
    for (const each of new Set(certificates))
      await addSecret(session, keys, { tenant, id, kind: 'certificate', now }, each);
  }
  const readOnly = (changes.readOnly ?? before.readOnly) ? 1 : 0;
  const { expiresAt, networks, certificates } = bounds;
  const row = [
    tenant,
    id,
    JSON.stringify(roles),
    readOnly,
    expiresAt ?? null,
    listText(networks),
    listText(certificates),
  ];
  await session.execute(sql.editCredential, row);
  await signCredential(session, integrity, id);
}

/** `null` removes a value, and `undefined` leaves it. */
function changed<T>(change: T | null | undefined, before: T | undefined): T | undefined {
  return change === undefined ? before : (change ?? undefined);
}

async function rotateCredential(
  session: Session,
  { keys, clock, integrity }: RegistryParts,
  id: string,
  graceMs: number,
): Promise<IssuedSecret> {
  const now = clock.now();
  if (!Number.isSafeInteger(graceMs) || graceMs < 0) throw new RegistryError('the grace is a number of milliseconds');
  const { tenant, kind } = await findLive(session, id);
  if (kind === 'certificate')
    throw new RegistryError(`${id} has no secret: edit it, and name its old and its new certificate`);
  await verifyCredential(session, integrity, id);
  await session.execute(sql.endSecrets, [tenant, id, now + graceMs]);
  await session.execute(sql.dropEndedSecrets, [tenant, id, now]);
  const secret = generateSecret();
  await addSecret(session, keys, { tenant, id, kind, now }, secret);
  await signCredential(session, integrity, id);
  return { id, secret };
}

/** Throws `RegistryError` where no live credential has the id. */
export async function findLive(session: Session, id: string): Promise<sql.LiveRow> {
  const [live] = await session.query(sql.findLive, [id]);
  if (live === undefined)
    throw new RegistryError(`no live credential has the id ${id}: \`triglyph credential list\` prints them`);
  return live;
}

async function revokeCredential(session: Session, id: string, now: number): Promise<void> {
  const { tenant } = await findLive(session, id);
  await session.execute(sql.revoke, [tenant, id, now]);
  await session.execute(sql.dropSecrets, [tenant, id]);
  await session.execute(sql.dropSecondFactor, [tenant, id]);
}
