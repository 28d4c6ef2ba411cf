/** Callers that the configuration names, with what upstreams receive for them: they need no stored credential. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { CredentialRules, Credentials, PresentedCredential } from '../../access/index.ts';
import type { VariableSources } from '../../config/index.ts';
import type { Caller } from '../../core/contract/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import { credentialRulesOf } from '../compose-services.ts';
import type { GatewayService } from '../define-service.ts';
import { MemberReader } from './members.ts';
import type { FixedCredential, SecretSource } from './options.ts';
import { type CredentialHeaders, readFixed } from './read-credentials.ts';
import type { ConfiguredUpstream } from './read-upstream.ts';
import { readSecret } from './secret.ts';

/** A caller that needs no stored credential. It sends `apiKey` in X-API-Key, or `basic`. */
export interface GatewayCaller {
  /** What logs and records name it by. Required in a configuration file, by default `caller 1`. */
  readonly name?: string;
  readonly tenant: string;
  /** A configuration file names its place, or says `inClear`. */
  readonly apiKey?: string | SecretSource;
  readonly basic?: { readonly username: string; readonly password: SecretSource };
  /** By default those of its grants in a configuration file, and every role of every service in a program. */
  readonly roles?: readonly string[];
  /** The values that it may name, by the name of their grant. */
  readonly grants?: Readonly<Record<string, readonly string[]>>;
  /** What upstreams with `credentials: 'mapped'` receive for it, by their names. */
  readonly upstreams?: Readonly<Record<string, FixedCredential>>;
}

/** A caller with its credentials, as they were read. */
export interface NamedCaller {
  readonly caller: Caller;
  readonly digest: Buffer;
  /** Of one with a password. */
  readonly username: string | undefined;
  /** Where its secret is, for `triglyph check`: never the secret. */
  readonly source: string;
  /** Whether the configuration itself has a secret of it. */
  readonly isInClear: boolean;
  /** What upstreams receive, by their names. */
  readonly atUpstreams: ReadonlyMap<string, CredentialHeaders>;
}

/** Each request is compared with all of them. */
const callersMax = 1_000;
/** Names of stored credentials begin with `cr_`. */
const namePattern = /^(?!cr_)[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;

/** Reads the callers of a configuration. Adds what is wrong with them to `faults`. */
export function readCallers(
  value: unknown,
  served: readonly GatewayService[],
  upstreams: readonly Pick<ConfiguredUpstream, 'name' | 'credentials'>[],
  variables: VariableSources,
  faults: string[],
): readonly NamedCaller[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > callersMax) {
    faults.push(`callers is no list of up to ${callersMax} callers.`);
    return [];
  }
  const context: ReadContext = {
    rules: credentialRulesOf(served).grants,
    roles: new Set(servicesOf(served).flatMap((service) => service.roles)),
    upstreams,
    variables,
  };
  const read = value.flatMap((each: unknown, index): readonly NamedCaller[] => {
    if (!isMembers(each)) {
      faults.push(`callers[${index}] is not an object.`);
      return [];
    }
    const caller = readCaller(new MemberReader(each, `callers[${index}]`, faults), context);
    return caller === undefined ? [] : [caller];
  });
  const repeated = (of: (caller: NamedCaller) => string): boolean => new Set(read.map(of)).size < read.length;
  if (repeated(({ caller }) => caller.credential)) faults.push('callers: two of them have one name.');
  if (repeated(({ digest }) => digest.toString('hex'))) faults.push('callers: two of them have one secret.');
  return read;
}

/** What all callers of a configuration are read by. */
interface ReadContext {
  readonly rules: CredentialRules['grants'];
  /** Those of the services. */
  readonly roles: ReadonlySet<string>;
  readonly upstreams: readonly Pick<ConfiguredUpstream, 'name' | 'credentials'>[];
  readonly variables: VariableSources;
}

function readCaller(reader: MemberReader, context: ReadContext): NamedCaller | undefined {
  const { rules, roles: known } = context;
  reader.allow('name', 'tenant', 'apiKey', 'basic', 'roles', 'grants', 'upstreams');
  for (const name of ['name', 'tenant']) if (!reader.has(name)) reader.fault(name, 'is missing');
  const hint = 'is no name of up to 64 letters, digits, blanks and ._@-, or begins like a stored credential';
  const name = reader.text('name', { pattern: namePattern, hint });
  const tenant = reader.text('tenant');
  const given = reader.object('grants');
  given.allow(...rules.map((rule) => rule.name));
  const grants = new Map(reader.names('grants').map((each) => [each, new Set(readTexts(given, each))]));
  const roles = readTexts(reader, 'roles') ?? rules.flatMap((rule) => (grants.has(rule.name) ? [rule.role] : []));
  for (const role of roles) if (!known.has(role)) reader.fault('roles', `has ${role}, which no service has`);
  if (roles.length === 0 && !reader.has('roles')) reader.fault('roles', 'is missing');
  const confined = rules.find((rule) => rule.confined && grants.has(rule.name));
  const secret = readOwnSecret(reader, context);
  const atUpstreams = readAtUpstreams(reader, context);
  if (name === undefined || tenant === undefined || secret === undefined) return undefined;
  return Object.freeze<NamedCaller>({
    ...secret,
    caller: Object.freeze<Caller>({
      ...{ credential: name, tenant, roles: new Set(roles), grants, requiresKey: false },
      partition: confined && [...(grants.get(confined.name) ?? [])][0],
    }),
    atUpstreams,
  });
}

function readOwnSecret(reader: MemberReader, { variables }: ReadContext) {
  if (reader.has('apiKey') === reader.has('basic')) {
    reader.fault('', 'needs one of apiKey and basic');
    return undefined;
  }
  const basic = reader.has('basic') ? reader.object('basic') : undefined;
  basic?.allow('username', 'password');
  const username = basic?.text('username', { pattern: /^[^\p{Cc}:]{1,256}$/u, hint: 'is no name without a colon' });
  if (basic !== undefined && !basic.has('username')) basic.fault('username', 'is missing');
  const [holder, member] = basic === undefined ? ([reader, 'apiKey'] as const) : ([basic, 'password'] as const);
  const found = readSecret(holder, member, variables);
  if (found === undefined || (basic !== undefined && username === undefined)) return undefined;
  const { text, source, isInClear } = found;
  return { digest: digestOf(username, text), username, source, isInClear };
}

function readAtUpstreams(reader: MemberReader, { upstreams, variables }: ReadContext): NamedCaller['atUpstreams'] {
  const given = reader.object('upstreams');
  return new Map(
    reader.names('upstreams').flatMap((name) => {
      if (upstreams.find((each) => each.name === name)?.credentials.kind !== 'mapped') {
        given.fault(name, "is no upstream with credentials 'mapped'");
        return [];
      }
      const credential = readFixed(given.object(name), variables);
      if (credential.kind === 'client') given.fault(name, 'needs one of basic, apiKey and bearer');
      return credential.kind === 'fixed' ? [[name, credential.headers] as const] : [];
    }),
  );
}

function readTexts(reader: MemberReader, name: string): readonly string[] | undefined {
  const value = reader.value(name);
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '')) return value;
  reader.fault(name, 'is no list of texts');
  return [];
}

/** Verifies the secrets of named callers, and all others by the stored credentials. */
export function withCallers(credentials: Credentials, named: readonly NamedCaller[]): Credentials {
  if (named.length === 0) return credentials;
  return Object.freeze<Credentials>({
    ...credentials,
    async verify(presented, origin) {
      const digest = presentedDigest(presented);
      const found = digest && named.find((each) => timingSafeEqual(each.digest, digest));
      if (found !== undefined) return { caller: found.caller };
      const verification = await credentials.verify(presented, origin);
      if (verification.caller !== undefined || verification.refusal !== 'unknownName') return verification;
      // The operator sees that the name is right.
      const meant = presented.kind === 'basic' && named.find(({ username }) => username === presented.username);
      if (!meant) return verification;
      const { credential, tenant } = meant.caller;
      return { refusal: 'wrongSecret', credential, tenant };
    },
  });
}

function presentedDigest(presented: PresentedCredential): Buffer | undefined {
  switch (presented.kind) {
    case 'basic':
      return digestOf(presented.username, presented.secret);
    case 'apiKey':
      return digestOf(undefined, presented.secret);
    case 'certificate':
      return undefined;
    default:
      return presented satisfies never;
  }
}

function digestOf(username: string | undefined, secret: string): Buffer {
  return hash('sha256', JSON.stringify([username ?? null, secret]), 'buffer');
}
