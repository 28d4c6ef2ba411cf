/** Reads how an upstream is logged in to, and finds the operation of its log-in in the contracts. */
import { Buffer } from 'node:buffer';
import { didYouMean, type VariableSources } from '../../config/index.ts';
import {
  isBound,
  label,
  type Operation,
  operationNamed,
  operationNames,
  Problem,
  type Schema,
  type Service,
  schemaAt,
} from '../../core/contract/index.ts';
import { createProtocols } from '../../core/formats/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import type { SessionOptions, SessionValue } from '../../forward/index.ts';
import { headerName, type MemberReader } from './members.ts';
import { readSecret } from './secret.ts';

/** A session as configured: the operation and its members are not checked yet. */
export interface ConfiguredSession extends Omit<SessionOptions, 'service' | 'logIn' | 'input' | 'logOut'> {
  /** `Desk.LogIn`. */
  readonly logIn: string;
  /** As in JSON, with its secrets. */
  readonly message: unknown;
  /** Absent where the session is not ended. */
  readonly logOut: { readonly operation: string; readonly message: unknown } | undefined;
}

const valueName = /^\w{1,40}$/;
/** Those that the gateway writes itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'host',
  'connection',
  'transfer-encoding',
  'cookie',
]);

/** Returns undefined where the upstream has none. */
export function readSession(reader: MemberReader, variables: VariableSources): ConfiguredSession | undefined {
  if (!reader.has('session')) return undefined;
  const credentials = reader.value('credentials');
  if (credentials === 'forward' || credentials === 'mapped')
    reader.fault(
      'session',
      `is one of the gateway, and credentials is ${JSON.stringify(credentials)}: give 'none', or a credential of the gateway`,
    );
  const session = reader.object('session');
  session.allow('logIn', 'input', 'logOut', 'logOutInput', 'values', 'headers', 'cookies', 'ended', 'seconds');
  const logIn = session.text('logIn', {
    pattern: /^[^.]+\..+$/,
    hint: 'is not the name of an operation, like Desk.LogIn',
  });
  const logOut = session.text('logOut', {
    pattern: /^[^.]+\.[^.]+$/,
    hint: 'is not the name of an operation, like Desk.LogOut',
  });
  if (logOut === undefined && session.has('logOutInput')) session.fault('logOutInput', 'is given, and logOut is not');
  if (!session.has('logIn')) session.fault('logIn', 'is missing: name the operation, like Desk.LogIn');
  const values = readValues(session);
  const cookies = session.boolean('cookies');
  if (Object.keys(values).length === 0 && !cookies)
    session.fault('', 'keeps nothing of the answer: give values, or cookies: true');
  return {
    logIn: logIn ?? '',
    message: session.has('input') ? readInput(session, 'input', variables) : {},
    logOut: logOut === undefined ? undefined : { operation: logOut, message: readLogOut(session, values, variables) },
    values,
    headers: readHeaders(session, values),
    cookies,
    ended: session.statuses('ended', [300, 599], 'is no list of statuses, of codes and of texts') ?? [401],
    msMax: session.has('seconds') ? session.wholeNumber('seconds', 1, 31 * 86_400, 3_600) * 1_000 : undefined,
  };
}

function readLogOut(
  session: MemberReader,
  values: Readonly<Record<string, SessionValue>>,
  variables: VariableSources,
): unknown {
  const message = session.has('logOutInput') ? readInput(session, 'logOutInput', variables) : {};
  for (const [, value = ''] of JSON.stringify(message ?? {}).matchAll(/\{(\w+)\}/g))
    if (!Object.hasOwn(values, value)) session.fault('logOutInput', `names {${value}}, which is none of the values`);
  return message;
}

/** Reports what does not fit the contract, and then returns undefined. `services`: the newest version of each; `answers`: whether the upstream answers an operation. */
export function findLogIn(
  { logIn: name, message, logOut: ending, ...session }: ConfiguredSession,
  place: string,
  services: readonly Service[],
  answers: (service: string, operation: string) => boolean,
  faults: string[],
): SessionOptions | undefined {
  const { service, operation: logIn } = operationNamed(services, name) ?? {};
  const fault = (text: string): undefined => {
    faults.push(`${place}.session.${text}`);
  };
  if (service === undefined || logIn === undefined || isBound(logIn)) {
    return fault(
      `logIn is ${name}, which is no operation that JSON names; ${didYouMean(name, operationNames(services))}`,
    );
  }
  if (!answers(service.name, logIn.name))
    return fault(`logIn is ${name}, which another upstream answers, or a handler.`);
  for (const [value, at] of Object.entries(session.values))
    if ('path' in at && !isText(schemaAt(logIn.output, at.path)))
      fault(`values.${value} is ${at.path.join('.')}, and the answer of ${name} has no such text.`);
  const input = decodeInput(service, logIn, message, { name: 'input', fault });
  const logOut = ending && findLogOut(service, ending, answers, fault);
  if (input === undefined || (ending !== undefined && logOut === undefined)) return undefined;
  return { ...session, service, logIn, input: input as SessionOptions['input'], logOut };
}

function findLogOut(
  service: Service,
  { operation: name, message }: NonNullable<ConfiguredSession['logOut']>,
  answers: (service: string, operation: string) => boolean,
  fault: (text: string) => undefined,
): SessionOptions['logOut'] {
  const { operation } = operationNamed([service], name) ?? {};
  if (operation === undefined || isBound(operation) || !answers(service.name, operation.name))
    return fault(
      `logOut is ${name}, which is no operation of the service of logIn; ${didYouMean(name, operationNames([service]))}`,
    );
  const input = decodeInput(service, operation, message, { name: 'logOutInput', fault });
  return input === undefined ? undefined : { operation, input: input as SessionOptions['input'] };
}

function decodeInput(
  service: Service,
  operation: Operation,
  message: unknown,
  { name, fault }: { readonly name: string; readonly fault: (text: string) => undefined },
): unknown {
  const { json } = createProtocols([service], { formField: 'idempotencyKey', messageId: false });
  try {
    const body = Buffer.from(JSON.stringify(message));
    const target = { service, version: service.version, operation };
    const { input, issues } = json.decode(body, { type: json.mediaType, charset: undefined }, target, {
      query: '',
      headers: {},
    });
    // A message of an issue may hold the value.
    for (const { path, kind } of issues) fault(`${name}.${label(path)} is wrong (${kind.name}).`);
    return issues.length > 0 ? undefined : input;
  } catch (thrown) {
    if (thrown instanceof Problem) return fault(`${name} is wrong (${thrown.reason}).`);
    throw thrown;
  }
}

function isText(schema: Schema | undefined): boolean {
  return schema !== undefined && schema.kind !== 'object' && schema.kind !== 'list' && schema.kind !== 'map';
}

function readValues(session: MemberReader): Readonly<Record<string, SessionValue>> {
  const values = session.object('values');
  return Object.fromEntries(
    session.names('values').flatMap((name): [string, SessionValue][] => {
      if (!valueName.test(name)) values.fault(name, 'is not a name of up to 40 letters, digits and underscores');
      if (typeof values.value(name) === 'string') return [[name, { path: String(values.value(name)).split('.') }]];
      const place = values.object(name);
      place.allow('header');
      const header = place.header('header');
      if (header === undefined)
        values.fault(name, 'is no place in the answer: give a member, like result.sessionId, or { header: ... }');
      return header === undefined ? [] : [[name, { header: header.toLowerCase() }]];
    }),
  );
}

function readHeaders(
  session: MemberReader,
  values: Readonly<Record<string, SessionValue>>,
): Readonly<Record<string, string>> {
  const headers = session.object('headers');
  return Object.fromEntries(
    session.names('headers').flatMap((name): [string, string][] => {
      if (!headerName.test(name) || ownHeaders.has(name.toLowerCase()))
        headers.fault(name, 'is not the name of a header that can be set');
      const template = headers.text(name, {
        pattern: /^[\x20-\x7e]{1,500}$/,
        hint: 'is not a text of printable ASCII characters',
      });
      for (const [, value = ''] of template?.matchAll(/\{(\w+)\}/g) ?? [])
        if (!Object.hasOwn(values, value)) headers.fault(name, `names {${value}}, which is none of the values`);
      return template === undefined ? [] : [[name.toLowerCase(), template]];
    }),
  );
}

/** Texts, numbers, lists and objects as in JSON. An object with env, file or inClear alone is a secret. */
function readInput(around: MemberReader, name: string, variables: VariableSources): unknown {
  const value = around.value(name);
  if (Array.isArray(value)) {
    around.fault(name, 'is a list: a log-in has texts and objects of them');
    return undefined;
  }
  if (!isMembers(value)) return value;
  const names = Object.keys(value);
  if (names.length === 1 && /^(?:env|file|inClear)$/.test(names[0] ?? ''))
    return readSecret(around, name, variables)?.text;
  const reader = around.object(name);
  return Object.fromEntries(names.map((each) => [each, readInput(reader, each, variables)]));
}
