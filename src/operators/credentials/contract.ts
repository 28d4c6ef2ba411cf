/** The credentials of callers, and those that upstreams receive for them. */
import { boolean, integer, list, object, oneOf, optional, required, string } from '../../core/contract/index.ts';
import { acts, inPath, moment, operatorProblems, ownProof, reads, rows, text, values } from '../operation.ts';

const name = text(200, 'Acme');
const problems = [operatorProblems.refusedAction];
const secret = (max: number) => string({ max, example: 'Xk2p9mQ4', sensitive: true });
const id = required(text(100, 'cr_Fx0uT4mQ9a1s'), 'The id that `credential list` prints.', inPath);
const expiry = text(40, '2027-06-30');
const networks = list(text(100, '192.0.2.0/24'), 'network', { max: 1_000 });
const certificates = list(text(20_000, '0f1e2d3c'), 'certificate', { max: 100 });
const role = list(name, 'role', { max: 100 });
const grant = object('GivenGrant', {
  name: required(name, 'The grant, such as `warehouse`.'),
  values: values(name, 'value', 'Its values.', 10_000),
});

export const listCredentials = reads(
  'listCredentials',
  'GET /credentials',
  'Returns the credentials without their secrets, sorted by tenant, oldest first; revoked ones, too.',
  {},
  object('Credentials', {
    credentials: rows(
      'ListedCredential',
      {
        id: required(name, 'Identifies the credential.'),
        tenant: required(name, 'The tenant that it belongs to.'),
        kind: required(oneOf('StoredKind', 'basic', 'apiKey', 'certificate'), 'How callers present it.'),
        username: optional(name, 'Its username.'),
        roles: values(name, 'role', 'Its roles.', 100),
        grants: rows('Grant', grant.fields, 'What it may name.', 100),
        requiresKey: required(boolean(false), 'Whether its writing requests need an Idempotency-Key.'),
        readOnly: required(boolean(false), 'Whether it authorizes operations that read, and no others.'),
        createdAt: required(moment, 'When it was added.'),
        revokedAt: optional(moment, 'When it was revoked.'),
        expiresAt: optional(moment, 'When it expires.'),
        networks: optional(networks, 'The IP addresses and networks that it is accepted from.'),
        certificates: optional(certificates, 'The SHA-256 fingerprints of the client certificates that it requires.'),
        altered: optional(boolean(true), 'Whether a row of it was changed in the database, so that it is refused.'),
        lastUsedAt: optional(moment, 'When it was used last, to the minute.'),
        secondFactorAt: optional(moment, 'When its second factor was set up. Absent where it has none.'),
        secrets: rows(
          'ListedSecret',
          {
            createdAt: required(moment, 'When it was issued.'),
            validUntil: optional(moment, 'Until when it is valid. Absent for the current one.'),
          },
          'Its secrets, without themselves.',
        ),
      },
      'The credentials.',
      100_000,
    ),
  }),
);

const issued = object('IssuedCredential', {
  id: required(name, 'Identifies the credential.'),
  username: optional(name, 'Its username.'),
  secret: optional(
    secret(200),
    'The secret, which is shown once: the store holds a hash of it. Absent where callers present a certificate alone.',
  ),
});

export const addCredential = acts(
  'addCredential',
  'POST /credentials',
  'Adds a credential, and returns its secret once.',
  {
    tenant: required(name, 'The tenant that the credential belongs to.'),
    kind: optional(
      oneOf('CredentialKind', 'basic', 'apiKey', 'certificate'),
      'How callers present it; basic by default. certificate: by a client certificate alone, without a secret.',
    ),
    username: optional(name, 'For basic. By default ws, with the name of the tenant behind it.'),
    grants: optional(list(grant, 'GivenGrant', { max: 100 }), 'What it may name.'),
    role: optional(role, 'The roles, instead of those that its grants bring along.'),
    readOnly: optional(boolean(true), 'Authorizes operations that read, and no others.'),
    expires: optional(
      expiry,
      'When it expires: a day (2027-06-30), a time (2027-06-30T12:00:00Z) or a number of days (90d).',
    ),
    from: optional(networks, 'The IP addresses or networks like 192.0.2.0/24 that it is accepted from.'),
    certificate: optional(
      certificates,
      'The client certificates that it requires, in PEM or as their SHA-256 fingerprints.',
    ),
    requireIdempotencyKey: optional(boolean(true), 'Refuses writing requests without an Idempotency-Key.'),
    ...ownProof,
  },
  issued,
  { audited: ['tenant', 'kind'], problems },
);

export const editCredential = acts(
  'editCredential',
  'POST /credentials/{id}',
  'Changes a credential; running servers notice it within a second. Its secret stays.',
  {
    id,
    role: optional(role, 'The roles, instead of those that it has.'),
    readOnly: optional(boolean(true), 'Whether it authorizes operations that read, and no others.'),
    expires: optional(
      expiry,
      'When it expires: a day (2027-06-30), a time (2027-06-30T12:00:00Z) or a number of days (90d); never removes the limit.',
    ),
    from: optional(
      networks,
      'The IP addresses or networks like 192.0.2.0/24 that it is accepted from; any removes the limit.',
    ),
    certificate: optional(
      certificates,
      'The client certificates that it requires, in PEM or as their SHA-256 fingerprints; none removes the limit.',
    ),
    ...ownProof,
  },
  object('EditedCredential', { id: required(name, 'The id of the credential.') }),
  { audited: ['id'], problems },
);

export const rotateCredential = acts(
  'rotateCredential',
  'POST /credentials/{id}/rotate',
  'Issues a new secret for a credential, and returns it once.',
  {
    id,
    grace: optional(
      integer(0, 999_999, 60),
      'How long the previous secret remains valid, in whole minutes; 60 by default.',
    ),
    ...ownProof,
  },
  issued,
  { audited: ['id', 'grace'], problems },
);

export const revokeCredential = acts(
  'revokeCredential',
  'POST /credentials/{id}/revoke',
  'Revokes a credential; running servers refuse it within a second.',
  { id },
  object('RevokedCredential', { id: required(name, 'The id of the credential.') }),
  { audited: ['id'], problems },
);

const recoveryCodes = values(
  secret(40),
  'recoveryCode',
  'The recovery codes, which are shown once. Each is accepted once, instead of a code of the app.',
  10,
);

export const setSecondFactor = acts(
  'setSecondFactor',
  'POST /credentials/{id}/secondFactor',
  'Sets up a second factor for the log-in of a person to the console, or replaces it, and returns it once.',
  { id, ...ownProof },
  object('IssuedSecondFactor', {
    id: required(name, 'The id of the credential.'),
    key: required(
      secret(200),
      'The key for an app that shows one-time codes (TOTP, 6 digits, 30 seconds). It is shown once.',
    ),
    uri: required(secret(1_000), 'The same as a URI, which apps read as a link or a QR code.'),
    recoveryCodes,
  }),
  { audited: ['id'], problems },
);

export const replaceRecoveryCodes = acts(
  'replaceRecoveryCodes',
  'POST /credentials/{id}/secondFactor/recoveryCodes',
  'Replaces the recovery codes of a second factor, and returns the new ones once.',
  { id, ...ownProof },
  object('RecoveryCodes', { id: required(name, 'The id of the credential.'), recoveryCodes }),
  { audited: ['id'], problems },
);

export const removeSecondFactor = acts(
  'removeSecondFactor',
  'POST /credentials/{id}/secondFactor/remove',
  'Removes the second factor of a credential, such as one whose app is lost.',
  { id, ...ownProof },
  object('RemovedSecondFactor', { id: required(name, 'The id of the credential.') }),
  { audited: ['id'], problems },
);

const mapped = {
  upstream: required(name, 'The name of the upstream in the configuration.', inPath),
  id: required(
    text(100, 'cr_Fx0uT4mQ9a1s'),
    "The id of the caller's credential, as `credential list` prints it.",
    inPath,
  ),
};
const mappedKind = oneOf('MappedKind', 'basic', 'apiKey', 'bearer');

export const listUpstreamCredentials = reads(
  'listUpstreamCredentials',
  'GET /credentials/upstreams',
  'Returns the credentials for upstreams without their secrets.',
  {},
  object('UpstreamCredentials', {
    credentials: rows(
      'UpstreamCredential',
      {
        upstream: required(name, 'The upstream that receives it.'),
        credentialId: required(name, "The id of the caller's credential."),
        kind: required(name, 'How the upstream receives it.'),
        createdAt: required(moment, 'When it was set.'),
      },
      'The credentials.',
      100_000,
    ),
  }),
);

export const setUpstreamCredential = acts(
  'setUpstreamCredential',
  'POST /credentials/upstreams/{upstream}/{id}',
  'Sets the credential for an upstream, sealed by the keys; running servers use it within a second.',
  {
    ...mapped,
    kind: required(mappedKind, 'How the upstream receives it.'),
    username: optional(name, 'For basic.'),
    header: optional(name, 'For apiKey; by default X-API-Key.'),
    secret: required(secret(4_000), 'The secret that the upstream receives.'),
    ...ownProof,
  },
  object('SetUpstreamCredential', { upstream: required(name, 'The upstream.'), id: required(name, 'The id.') }),
  { audited: ['upstream', 'id', 'kind'], problems },
);

export const removeUpstreamCredential = acts(
  'removeUpstreamCredential',
  'POST /credentials/upstreams/{upstream}/{id}/remove',
  'Removes a credential for an upstream; running servers refuse its caller within a second.',
  mapped,
  object('RemovedUpstreamCredential', { upstream: required(name, 'The upstream.'), id: required(name, 'The id.') }),
  { audited: ['upstream', 'id'], problems },
);

export const credentialOperations = [
  listCredentials,
  addCredential,
  editCredential,
  rotateCredential,
  revokeCredential,
  setSecondFactor,
  replaceRecoveryCodes,
  removeSecondFactor,
  listUpstreamCredentials,
  setUpstreamCredential,
  removeUpstreamCredential,
] as const;
