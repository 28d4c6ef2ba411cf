/** What a credential may be: its names, its roles and its grants, as services declare them. */
import { parseNetworks } from '../../core/lib/index.ts';
import type { Session } from '../../stores/index.ts';

/** How callers present a credential that has a secret: by username and password, or by an API key. */
export type CredentialKind = 'basic' | 'apiKey';

/** `certificate`: by a client certificate alone. */
export type StoredKind = CredentialKind | 'certificate';

/** The values of each grant, by its name. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** The registry refuses a request. The operator reads the message. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

/** A grant that credentials may have, as its service declares it. */
export interface GrantRule {
  /** As handlers and schemas name it: `shop`. */
  readonly name: string;
  /** What messages call a value. */
  readonly noun: string;
  /** The option of `credential add` that gives a value. */
  readonly option: { readonly flags: string; readonly doc: string };
  /** The role that uses the grant, and that a credential gets with it by default. */
  readonly role: string;
  /** All roles that use the grant, where there are several. */
  readonly roles?: readonly string[];
  /**
   * Present where a credential acts for one value alone, without other grants and roles: that value is the partition of its
   * tenant, and the realm is in its username.
   */
  readonly confined?: { readonly realm: string };
  /** Returns the tenant that a value belongs to. Absent where values belong to no tenant: any credential may hold them. */
  findTenant?(session: Session, value: string): Promise<string | undefined>;
}

/** What the services of a server declare about credentials. */
export interface CredentialRules {
  /** What messages call a tenant. */
  readonly tenantNoun: string;
  /** In the username of a credential that is not confined. */
  readonly realm: string;
  readonly grants: readonly GrantRule[];
}

/** What a credential authorizes. */
interface Authorization {
  readonly roles: readonly string[];
  readonly grants: Grants;
}

const tenantPattern = /^[A-Za-z0-9_-]{1,80}$/;
const namePattern = /^[A-Za-z0-9_.-]{1,80}$/;
const fingerprintPattern = /^[0-9a-f]{64}$/;

/** Throws `RegistryError`. */
export function checkTenant(tenant: string, noun: string): void {
  if (!tenantPattern.test(tenant))
    throw new RegistryError(`a ${noun} has 1 to 80 letters, digits, underscores and hyphens`);
}

/** Requires that every value belongs to the tenant, and that a service declares its grant. */
export async function checkOwners(
  session: Session,
  { tenant, grants }: { readonly tenant: string; readonly grants: Grants },
  rules: CredentialRules,
): Promise<void> {
  for (const [name, values] of Object.entries(grants)) {
    const rule = rules.grants.find((each) => each.name === name);
    if (rule === undefined) throw new RegistryError(`no service declares the grant ${name}`);
    if (rule.findTenant === undefined) continue;
    for (const value of values)
      if ((await rule.findTenant(session, value)) !== tenant)
        throw new RegistryError(`${rule.noun} ${value} is not one of ${tenant}; add it first`);
  }
}

/** Returns the rule of the grant that confines the credential. Requires that its roles and other grants fit. */
export function checkConfinement({ roles, grants }: Authorization, rules: CredentialRules): GrantRule | undefined {
  const held = rules.grants.filter(({ name }) => (grants[name]?.length ?? 0) > 0);
  for (const rule of rules.grants.filter(({ confined }) => confined !== undefined)) {
    const { name, noun } = rule;
    const own = rolesOf(rule);
    if (!held.includes(rule)) {
      const role = roles.find((each) => own.includes(each));
      if (role !== undefined) throw new RegistryError(`the role ${role} needs a ${noun}`);
      continue;
    }
    if (held.length > 1 || grants[name]!.length > 1 || roles.some((each) => !own.includes(each)))
      throw new RegistryError(`a credential of a ${noun} has no other grants, and no other role`);
    return rule;
  }
  return undefined;
}

/** The roles that use a grant. */
export function rolesOf({ role, roles = [role] }: GrantRule): readonly string[] {
  return roles;
}

/** Returns the whole username. */
export function checkUsername(tenant: string, username: string | undefined, realm: string): string {
  const ending = `@${realm}.${tenant}`;
  const full = username ?? `ws${ending}`;
  if (!full.endsWith(ending) || !namePattern.test(full.slice(0, -ending.length)))
    throw new RegistryError(`the username of a credential of ${tenant} reads {name}${ending}`);
  return full;
}

/** What binds a credential beside its secret. */
export interface Bounds {
  readonly expiresAt?: number | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly certificates?: readonly string[] | undefined;
}

export function checkBounds(given: Bounds, now: number): void {
  const { expiresAt, networks = [], certificates = [] } = given;
  if (expiresAt !== undefined && (!Number.isSafeInteger(expiresAt) || expiresAt <= now))
    throw new RegistryError('the expiry is not in the future');
  // The store holds no list for it, as for a credential that nothing binds.
  if (given.networks?.length === 0 || given.certificates?.length === 0)
    throw new RegistryError('an empty list admits no caller: leave it out where any are accepted');
  for (const each of networks)
    if (parseNetworks(each)?.any !== true || /[\s,]/.test(each))
      throw new RegistryError(`${each} is no IP address and no network like 192.0.2.0/24`);
  for (const each of certificates)
    if (!fingerprintPattern.test(each))
      throw new RegistryError('the fingerprint of a certificate is its SHA-256 in 64 lower-case hexadecimal digits');
}
