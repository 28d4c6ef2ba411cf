/** The session of the gateway at an upstream: one log-in for all requests. */

import type { AnyRequest, Operation, Service } from '../core/contract/index.ts';
import type { Refusal, Reply } from '../core/formats/index.ts';
import { valueAt } from '../core/lib/index.ts';
import { UpstreamFailure } from './failure.ts';
import { Renewed } from './renewed.ts';

/** Header names in lower case. */
type Headers = Readonly<Record<string, string>>;

/** Where the answer to a log-in has a value: a member of its output, or a header of HTTP in lower case. */
export type SessionValue = { readonly path: readonly string[] } | { readonly header: string };

/** How an upstream is logged in to. */
export interface SessionOptions {
  readonly service: Service;
  readonly logIn: Operation;
  /** Canonical. It holds secrets. */
  readonly input: AnyRequest['input'];
  /** What ends a session. Texts of its input have the names of values in braces. */
  readonly logOut?: { readonly operation: Operation; readonly input: AnyRequest['input'] } | undefined;
  readonly values: Readonly<Record<string, SessionValue>>;
  /** Headers of later requests, with the names of values in braces. */
  readonly headers: Headers;
  /** Whether later requests send the cookies of the session. */
  readonly cookies: boolean;
  /** What says that the session has ended: a status, the code of a refusal, or a part of its text. */
  readonly ended: readonly (string | number)[];
  /** How long a session is used. Absent where the upstream alone ends it. */
  readonly msMax?: number | undefined;
}

/** What a log-in returned. */
export interface Session {
  readonly values: Readonly<Record<string, string>>;
  readonly headers: Headers;
  /** By name. */
  readonly cookies: Map<string, string>;
  readonly startedAt: number;
  readonly msMax: number | undefined;
  /** The log-in, whose caller and credential a log-out has, too. */
  readonly logIn: AnyRequest;
}

/** The answer to a log-in. */
export interface LoggedIn {
  readonly output: unknown;
  readonly headers: Reply['headers'];
}

const valueLengthMax = 8_192;

export class Sessions {
  readonly #options: SessionOptions;
  readonly #logIn: (request: AnyRequest) => Promise<LoggedIn>;
  readonly #sessions = new Renewed<Session>('logIn');

  /** `logIn`: sends the log-in, and rejects with a Problem or `UpstreamFailure`. */
  constructor(options: SessionOptions, logIn: (request: AnyRequest) => Promise<LoggedIn>) {
    this.#options = options;
    this.#logIn = logIn;
  }

  /** Returns the session; undefined for the log-in itself. Requests at the same time share a log-in. Rejects with `UpstreamFailure` within `msMax`. */
  async find(request: AnyRequest, msMax: number): Promise<Session | undefined> {
    if (request.operation === this.#options.logIn) return undefined;
    return this.#sessions.find(msMax, () => this.#start(request));
  }

  /** The upstream says that the session has ended. Returns whether another one may be tried. */
  end(session: Session): boolean {
    return this.#sessions.end(session);
  }

  /** Ends the session, if there is one, and returns its log-out. Undefined where none is to be sent. */
  takeLogOut(): { readonly session: Session; readonly request: AnyRequest } | undefined {
    const session = this.#sessions.take();
    const { logOut } = this.#options;
    if (session === undefined || logOut === undefined) return undefined;
    const input = filledInput(logOut.input, session.values) as AnyRequest['input'];
    return { session, request: { ...session.logIn, operation: logOut.operation, input } };
  }

  async #start(request: AnyRequest): Promise<Session> {
    const { service, logIn: operation, input } = this.#options;
    const logIn = { ...request, service, operation, input, key: undefined };
    return this.#read(await this.#logIn(logIn), logIn);
  }

  #read({ output, headers }: LoggedIn, logIn: AnyRequest): Session {
    const { values: places, headers: templates, cookies: hasCookies, msMax } = this.#options;
    const values = Object.fromEntries(
      Object.entries(places).map(([name, place]) => [name, textAt(place, output, headers)] as const),
    );
    const filled = Object.entries(templates).map(([name, template]) => {
      const text = template.replace(/\{(\w+)\}/g, (_, value: string) => values[value] ?? '');
      if (!/^[\x20-\x7e]*$/.test(text)) throw new UpstreamFailure('contract', 'notSent', { detail: 'logIn' });
      return [name, text] as const;
    });
    const cookies = new Map<string, string>();
    if (hasCookies) readCookies(headers['set-cookie'], cookies);
    return { values, headers: Object.fromEntries(filled), cookies, startedAt: performance.now(), msMax, logIn };
  }
}

/** Returns the headers of a request in a session. */
export function headersOfSession({ headers, cookies }: Session): Headers {
  const cookie = cookieHeader(cookies);
  return cookie === undefined ? headers : { ...headers, cookie };
}

/** Servers change the cookies of a session while it lasts. */
export function keepCookies(session: Session | undefined, headers: Reply['headers'], options: SessionOptions): void {
  if (session !== undefined && options.cookies) readCookies(headers['set-cookie'], session.cookies);
}

/** Whether a refusal, or a status alone, says that the session has ended. */
export function isSessionEnd(
  { ended }: SessionOptions,
  { status, code, message }: Pick<Refusal, 'status'> & Partial<Pick<Refusal, 'code' | 'message'>>,
): boolean {
  return ended.some(
    (each) => each === status || each === code || (typeof each === 'string' && message?.includes(each)),
  );
}

/** A value with those of a session in the place of their names in braces. */
function filledInput(value: unknown, values: Session['values']): unknown {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledInput(each, values)]));
}

function textAt(place: SessionValue, output: unknown, headers: Reply['headers']): string {
  const value = 'header' in place ? headers[place.header] : valueAt(output, place.path);
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  if (text === '' || text.length > valueLengthMax)
    throw new UpstreamFailure('contract', 'notSent', { detail: 'logIn' });
  return text;
}

const cookiesMax = 20;
const lengthMax = 4_096;
const pairPattern = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("?[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*"?)\s*$/;

/** Sets the cookies of an answer, and deletes those that it ends. `lines`: of Set-Cookie, with line breaks between. What is no cookie is ignored. */
function readCookies(lines: string | undefined, cookies: Map<string, string>): void {
  for (const line of lines?.split('\n') ?? []) {
    const [pair = '', ...attributes] = line.split(';');
    const [, name, value] = pairPattern.exec(pair) ?? [];
    if (name === undefined || value === undefined || pair.length > lengthMax) continue;
    cookies.delete(name);
    if (!isOver(attributes) && cookies.size < cookiesMax) cookies.set(name, value);
  }
}

/** Returns undefined where there are none. */
function cookieHeader(cookies: ReadonlyMap<string, string>): string | undefined {
  return cookies.size === 0 ? undefined : [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Max-Age comes before Expires (RFC 6265, section 5.3). */
function isOver(attributes: readonly string[]): boolean {
  const textOf = (name: string) =>
    attributes
      .map((each) => each.trim())
      .find((each) => each.toLowerCase().startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const maxAge = textOf('max-age');
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  return Date.parse(textOf('expires') ?? '') <= Date.now();
}
