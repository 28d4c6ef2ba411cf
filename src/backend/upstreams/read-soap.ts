/** Reads what requests to an upstream have beside their message in SOAP: header blocks, WS-Security and WS-Addressing. */
import type { VariableSources } from '../../config/index.ts';
import { printable } from '../../core/contract/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import {
  type BlockContent,
  type ConfiguredBlock,
  type SecurityOptions,
  type SoapOptions,
  signatureAlgorithmOf,
} from '../../forward/index.ts';
import type { MemberReader } from './members.ts';
import { readPem, readSecret } from './secret.ts';

/** Returns undefined where the upstream has none of them. */
export function readSoap(reader: MemberReader, variables: VariableSources): SoapOptions | undefined {
  const given = (['soapHeaders', 'wsSecurity', 'wsAddressing'] as const).filter((name) => reader.has(name));
  const [first] = given;
  if (first === undefined) return undefined;
  const format = reader.value('format');
  if (format !== 'soap11' && format !== 'soap12')
    reader.fault(first, 'is given, and the format is no SOAP: give format soap11 or soap12');
  const credentials = reader.value('credentials');
  const security = reader.object('wsSecurity');
  const hasNamed =
    credentials === 'forward' || credentials === 'mapped' || (isMembers(credentials) && 'basic' in credentials);
  if (security.value('credentials') === true && !hasNamed)
    security.fault(
      'credentials',
      'is given, and the credentials of the upstream have no username: give forward, mapped or basic',
    );
  const headers = reader.object('soapHeaders');
  return {
    blocks: reader.names('soapHeaders').flatMap((name) => readBlock(headers, name, variables) ?? []),
    addressing: reader.boolean('wsAddressing'),
    security: reader.has('wsSecurity') ? readSecurity(security, variables) : undefined,
  };
}

const elementName = /^[A-Za-z_][\w.-]{0,99}$/;

function readBlock(headers: MemberReader, name: string, variables: VariableSources): ConfiguredBlock | undefined {
  const [, namespace, local] = /^\{([^{}]{1,500})\}(.+)$/.exec(name) ?? [];
  if (namespace === undefined || local === undefined || !elementName.test(local) || !printable(namespace)) {
    headers.fault(name, 'is not the name of an element with its namespace, like {urn:example}Tenant');
    return undefined;
  }
  const content = readContent(headers, name, variables);
  return content && { namespace, name: local, mustUnderstand: false, content };
}

function readContent(around: MemberReader, name: string, variables: VariableSources): BlockContent | undefined {
  const value = around.value(name);
  if (typeof value === 'string') {
    if (!printable(value)) around.fault(name, 'has a character that XML has not');
    return { text: value };
  }
  const reader = around.object(name);
  if (reader.has('header')) {
    reader.allow('header');
    const header = reader.header('header');
    return header === undefined ? undefined : { header: header.toLowerCase() };
  }
  if (reader.has('session')) {
    reader.allow('session');
    const session = reader.text('session', {
      pattern: /^\w{1,40}$/,
      hint: 'is not the name of a value of the session',
    });
    return session === undefined ? undefined : { session };
  }
  if (!reader.has('elements')) {
    const secret = readSecret(around, name, variables);
    if (secret !== undefined && !printable(secret.text)) around.fault(name, 'has a character that XML has not');
    return secret && { text: secret.text };
  }
  reader.allow('elements');
  const elements = reader.object('elements');
  const names = reader.names('elements');
  for (const each of names) if (!elementName.test(each)) elements.fault(each, 'is not the name of an element');
  const read = names.map((each) => [each, readContent(elements, each, variables)] as const);
  return {
    elements: Object.fromEntries(read.flatMap(([each, content]) => (content === undefined ? [] : [[each, content]]))),
  };
}

function readSecurity(reader: MemberReader, variables: VariableSources): SecurityOptions {
  reader.allow('username', 'password', 'passwordType', 'credentials', 'timestampSeconds', 'certFile', 'keyFile');
  for (const [one, other] of [
    ['username', 'password'],
    ['certFile', 'keyFile'],
  ] as const)
    if (reader.has(one) !== reader.has(other)) reader.fault('', `needs both ${one} and ${other}`);
  const isFromCredential = reader.boolean('credentials');
  if (isFromCredential && reader.has('username'))
    reader.fault('credentials', 'is given, and username is, too: give one of them');
  const username = reader.text('username', {
    pattern: /^\P{Cc}{1,256}$/u,
    hint: 'is not a text of up to 256 characters',
  });
  const password = reader.has('password') ? readSecret(reader, 'password', variables) : undefined;
  if (password !== undefined && !printable(password.text)) reader.fault('password', 'has a character that XML has not');
  const isDigest = reader.choice('passwordType', ['text', 'digest'], 'text') === 'digest';
  const seconds = reader.has('timestampSeconds') ? reader.wholeNumber('timestampSeconds', 1, 86_400, 300) : undefined;
  const cert = readPem(reader, 'certFile');
  const key = readPem(reader, 'keyFile');
  if (key !== undefined && signatureAlgorithmOf(key) === undefined)
    reader.fault('keyFile', 'has no private key of RSA or of an elliptic curve');
  return {
    usernameToken:
      username === undefined || password === undefined ? undefined : { username, password: password.text, isDigest },
    fromCredential: isFromCredential ? { isDigest } : undefined,
    timestampMs: seconds === undefined ? undefined : seconds * 1_000,
    signature: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}
