/** Reads which credential an upstream receives. */
import type { VariableSources } from '../../config/index.ts';
import { basicHeader } from '../../core/lib/index.ts';
import type { ClientCredentials } from '../../forward/index.ts';
import type { MemberReader } from './members.ts';
import { type FoundSecret, readSecret } from './secret.ts';
import { upstreamUrlHint } from './url-hint.ts';

/** The headers that present a credential, by lower-case name. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** Which credential an upstream receives. */
export type UsedCredentials =
  | { readonly kind: 'forward' | 'mapped' | 'none' }
  /** `source`: for `triglyph check`, without the secret. */
  | { readonly kind: 'fixed'; readonly headers: CredentialHeaders; readonly source: string }
  | { readonly kind: 'client'; readonly client: ClientCredentials; readonly source: string };

/** A credential in words, before it is in headers. */
export type PlainCredential =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'apiKey'; readonly secret: string; readonly header?: string | undefined }
  | { readonly kind: 'bearer'; readonly secret: string };

const none: UsedCredentials = Object.freeze({ kind: 'none' });
/** Of a request for a token. */
const ownParameters: ReadonlySet<string> = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);
const words = ['forward', 'mapped', 'none'] as const;
const choices = "'forward', 'mapped', 'none', or one of basic, apiKey, bearer and oauth2";

/** Reads the member `credentials` of an upstream. Reports what is wrong with it, and then returns `none`. */
export function readCredentials(reader: MemberReader, variables: VariableSources): UsedCredentials {
  const value = reader.value('credentials');
  if (value === undefined) {
    reader.fault('credentials', `is missing: give ${choices}`);
    return none;
  }
  if (typeof value === 'string') {
    const kind = words.find((each) => each === value);
    if (kind === undefined) reader.fault('credentials', `is ${JSON.stringify(value)}: give ${choices}`);
    return kind === undefined ? none : { kind };
  }
  return readFixed(reader.object('credentials'), variables);
}

/** Reads a credential of the gateway. Reports what is wrong with it, and then returns `none`. */
export function readFixed(reader: MemberReader, variables: VariableSources): UsedCredentials {
  reader.allow('basic', 'apiKey', 'header', 'bearer', 'oauth2');
  const kinds = (['basic', 'apiKey', 'bearer', 'oauth2'] as const).filter((kind) => reader.has(kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    reader.fault('', 'needs one of basic, apiKey, bearer and oauth2');
    return none;
  }
  if (reader.has('header') && kind !== 'apiKey') reader.fault('header', 'belongs to apiKey');
  if (kind === 'oauth2') return readClient(reader.object('oauth2'), variables);
  const basic = kind === 'basic' ? reader.object('basic') : undefined;
  basic?.allow('username', 'password');
  const username = basic?.text('username') ?? '';
  const secret = basic === undefined ? readSecret(reader, kind, variables) : readSecret(basic, 'password', variables);
  if (secret === undefined) return none;
  return toHeaders({ kind, username, secret: secret.text, header: reader.header('header') }, secret, basic ?? reader);
}

function readClient(reader: MemberReader, variables: VariableSources): UsedCredentials {
  reader.allow('tokenUrl', 'clientId', 'clientSecret', 'sentIn', 'scope', 'parameters');
  const tokenUrl = reader.text('tokenUrl') ?? '';
  const hint = reader.has('tokenUrl') ? upstreamUrlHint(tokenUrl, { allowsQuery: true }) : 'is missing';
  if (hint !== undefined) reader.fault('tokenUrl', hint);
  const clientId = reader.text('clientId', {
    pattern: /^\P{Cc}{1,256}$/u,
    hint: 'is not a text of up to 256 characters',
  });
  if (!reader.has('clientId')) reader.fault('clientId', 'is missing');
  const secret = readSecret(reader, 'clientSecret', variables);
  const sentIn = reader.choice('sentIn', ['basic', 'body'], 'basic');
  const scope = reader.text('scope', { pattern: /^[\x20-\x7e]{1,1000}$/, hint: 'is not a list of scopes' });
  const given = reader.object('parameters');
  const parameters = reader.names('parameters').flatMap((name) => {
    if (ownParameters.has(name)) given.fault(name, 'is sent by the gateway itself');
    const text = given.text(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  if (hint !== undefined || clientId === undefined || secret === undefined) return none;
  return {
    kind: 'client',
    client: {
      tokenUrl: new URL(tokenUrl).href,
      clientId,
      clientSecret: secret.text,
      sentIn,
      parameters: { ...Object.fromEntries(parameters), ...(scope !== undefined && { scope }) },
    },
    source: secret.source,
  };
}

function toHeaders(credential: PlainCredential, { source }: FoundSecret, reader: MemberReader): UsedCredentials {
  const fault = credentialFault(credential);
  if (fault !== undefined) reader.fault('', fault);
  return fault === undefined ? { kind: 'fixed', headers: headersOf(credential), source } : none;
}

/** Returns why a credential cannot be sent in a header. */
export function credentialFault(credential: PlainCredential): string | undefined {
  switch (credential.kind) {
    case 'basic':
      if (!/^[^\p{Cc}:]{1,256}$/u.test(credential.username))
        return 'needs a username of up to 256 characters, without a colon';
      return /^\P{Cc}{1,4096}$/u.test(credential.secret)
        ? undefined
        : 'needs a password of up to 4096 characters on one line';
    case 'apiKey':
    case 'bearer':
      return /^[\x21-\x7e]{1,4096}$/.test(credential.secret)
        ? undefined
        : 'needs a secret of up to 4096 printable ASCII characters without blanks';
    default:
      return credential satisfies never;
  }
}

/** Returns the headers that present a credential. */
export function headersOf(credential: PlainCredential): CredentialHeaders {
  switch (credential.kind) {
    case 'basic':
      return { authorization: basicHeader(credential.username, credential.secret) };
    case 'apiKey':
      return { [(credential.header ?? 'X-API-Key').toLowerCase()]: credential.secret };
    case 'bearer':
      return { authorization: `Bearer ${credential.secret}` };
    default:
      return credential satisfies never;
  }
}
