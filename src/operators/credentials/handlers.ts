/** Adds, edits, lists, rotates and revokes the credentials of callers, and those that upstreams receive for them. */
import { X509Certificate } from 'node:crypto';
import { rolesOf } from '../../access/index.ts';
import { credentialFault, type PlainCredential, saveMappedCredential } from '../../backend/index.ts';
import { didYouMean } from '../../config/index.ts';
import { type Input, knownRoles } from '../../core/contract/index.ts';
import { parseNetworks } from '../../core/lib/index.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import { parseTime } from '../time.ts';
import type { credentialOperations, editCredential, setUpstreamCredential } from './contract.ts';

const graceMinutes = 60;

export const credentialHandlers: OperatorHandlers<(typeof credentialOperations)[number]> = {
  listCredentials: async (_, { backend: { registry } }) => ({
    credentials: (await registry.listCredentials()).map(({ grants, ...credential }) => ({
      ...credential,
      grants: Object.entries(grants).map(([name, values]) => ({ name, values })),
    })),
  }),

  async addCredential({ tenant, kind = 'basic', username, grants = [], requireIdempotencyKey, ...given }, context) {
    const { registry, credentialRules } = context.backend;
    const { roles: role = [], readOnly, expiresAt, networks, certificates } = limitsOf(given, context, false);
    const found = grants.map(({ name, values }) => ({
      name,
      values,
      rule: credentialRules.grants.find((each) => each.name === name) ?? refuse(`there is no grant ${name}`),
    }));
    // A role that uses the grant says what the credential may do with it.
    const brought = found.flatMap(({ rule }) => (rolesOf(rule).some((each) => role.includes(each)) ? [] : [rule.role]));
    const roles = [...new Set([...role, ...brought])];
    if (roles.length === 0) {
      const flags = credentialRules.grants.map(({ option }) => option.flags.split(' ')[0]);
      refuse(`name what the credential authorizes: ${flags.join(', ')} or --role`);
    }
    const credential = {
      ...{ tenant, roles, grants: Object.fromEntries(found.map(({ name, values }) => [name, values])) },
      ...{
        requiresKey: requireIdempotencyKey,
        readOnly,
        expiresAt: expiresAt ?? undefined,
        networks: networks ?? undefined,
      },
    };
    if (kind !== 'certificate')
      return registry.addCredential({ ...credential, kind, username, certificates: certificates ?? undefined });
    if (username !== undefined) refuse('a certificate has no username');
    return registry.addCertificateCredential({ ...credential, certificates: certificates ?? [] });
  },

  async editCredential({ id, ...given }, context) {
    const changes = limitsOf(given, context, true);
    if (Object.values(changes).every((each) => each === undefined))
      refuse('name a change: `triglyph credential edit --help` lists the options');
    await context.backend.registry.editCredential(id, changes);
    return { id };
  },

  rotateCredential: ({ id, grace = graceMinutes }, { backend: { registry } }) =>
    registry.rotateCredential(id, { graceMs: grace * 60_000 }),

  async revokeCredential({ id }, { backend: { registry } }) {
    await registry.revokeCredential(id);
    return { id };
  },

  async setSecondFactor({ id }, { backend: { secondFactors } }) {
    return { id, ...(await secondFactors.set(id)) };
  },

  async replaceRecoveryCodes({ id }, { backend: { secondFactors } }) {
    return { id, recoveryCodes: await secondFactors.replaceRecoveryCodes(id) };
  },

  async removeSecondFactor({ id }, { backend: { secondFactors } }) {
    await secondFactors.remove(id);
    return { id };
  },

  listUpstreamCredentials: async (_, { backend: { upstreamCredentials } }) => ({
    credentials: (await upstreamCredentials.list()).map(({ sealed: _sealed, ...members }) => members),
  }),

  async setUpstreamCredential({ upstream, id, ...given }, { backend, mappedUpstreams: names }) {
    if (names.length === 0) refuse("the configuration has no upstream with credentials: 'mapped'");
    if (!names.includes(upstream))
      refuse(`no upstream with credentials: 'mapped' has the name ${upstream}; ${didYouMean(upstream, names)}`);
    const credential = plainCredentialOf(given);
    const fault = credentialFault(credential);
    if (fault !== undefined) refuse(`the credential ${fault}`);
    const found = (await backend.registry.listCredentials()).find((each) => each.id === id);
    if (found === undefined || found.revokedAt !== undefined)
      refuse(`no live credential has the id ${id}: \`triglyph credential list\` prints them`);
    const { upstreamCredentials: store, context } = backend;
    await saveMappedCredential({ store, ...context }, upstream, id, credential);
    return { upstream, id };
  },

  async removeUpstreamCredential({ upstream, id }, { backend: { upstreamCredentials } }) {
    if (!(await upstreamCredentials.remove(upstream, id))) refuse(`${upstream} has no credential for ${id}`);
    return { upstream, id };
  },
};

type Limits = Omit<Input<typeof editCredential>, 'id'>;

/** What binds a credential. Null removes a limit, which a word does where `isEdit`. */
function limitsOf(
  { role, readOnly, expires, from, certificate }: Limits,
  { backend, services }: OperatorContext,
  isEdit: boolean,
) {
  const known = knownRoles(services);
  for (const each of role ?? [])
    if (!known.includes(each)) refuse(`${each} is no role. Allowed choices are ${known.join(', ')}.`);
  return {
    roles: role,
    readOnly,
    expiresAt: isEdit && expires === 'never' ? null : parseExpiry(expires, backend.context.clock.now()),
    networks: isEdit && from?.includes('any') ? null : from?.map(parseNetwork),
    certificates: isEdit && certificate?.includes('none') ? null : certificate?.map(parseCertificate),
  };
}

/** Returns milliseconds since the epoch. A day begins at midnight UTC. */
function parseExpiry(given: string | undefined, now: number): number | undefined {
  if (given === undefined) return undefined;
  const time = parseTime('expires', given, now, 'on');
  if (time <= now) refuse(`expires ${given}: This is not in the future.`);
  return time;
}

function parseNetwork(given: string): string {
  if (/[\s,]/.test(given) || parseNetworks(given)?.any !== true)
    refuse(`${given}: Give an IP address or a network like 192.0.2.0/24.`);
  return given;
}

/** Returns the SHA-256 fingerprint in lower case. */
function parseCertificate(given: string): string {
  const fingerprint = given.replaceAll(':', '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(fingerprint)) return fingerprint;
  try {
    return new X509Certificate(given).fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return refuse('Give a file with a certificate in PEM, or its SHA-256 fingerprint.');
  }
}

type GivenCredential = Omit<Input<typeof setUpstreamCredential>, 'upstream' | 'id'>;

function plainCredentialOf({ kind, username, header, secret }: GivenCredential): PlainCredential {
  if ((kind === 'basic') !== (username !== undefined)) refuse('--username belongs to --kind basic, which requires it');
  if (header !== undefined && (kind !== 'apiKey' || !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(header)))
    refuse('--header is the name of a header, and belongs to --kind apiKey');
  switch (kind) {
    case 'basic':
      return { kind, username: username ?? '', secret };
    case 'apiKey':
      return { kind, secret, header };
    case 'bearer':
      return { kind, secret };
    default:
      return kind satisfies never;
  }
}
