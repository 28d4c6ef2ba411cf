/** The session of the gateway at an upstream: one log-in for all requests, renewed when it has ended. It is in memory only. */
import type { AnyRequest } from '../contract/canonical.ts';
import type { Operation } from '../contract/operation.ts';
import { Problem } from '../contract/problem.ts';
import type { Service } from '../contract/service.ts';
import type { Refusal, Reply } from '../formats/protocol.ts';
import { atMost } from '../lib/at-most.ts';
import { backoffMs } from '../lib/retry.ts';
import { cookieHeader, readCookies } from './cookies.ts';
import { UpstreamFailure } from './failure.ts';

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
}

/** The answer to a log-in. */
export interface LoggedIn {
  readonly output: unknown;
  readonly headers: Reply['headers'];
}

/** One that the upstream says has ended sooner is not renewed: log-ins would follow each other. */
const renewedAfterMs = 1_000;
/** Between failed log-ins, which may lock the account. */
const backoff = { firstMs: 1_000, maxMs: 60_000 } as const;
const valueLengthMax = 8_192;

export class Sessions {
  readonly #options: SessionOptions;
  readonly #logIn: (request: AnyRequest) => Promise<LoggedIn>;
  #session: Session | undefined;
  #pending: Promise<Session> | undefined;
  #failure: { readonly failure: UpstreamFailure; readonly until: number } | undefined;
  #failures = 0;

  /** `logIn`: sends the log-in, and rejects with a Problem or `UpstreamFailure`. */
  constructor(options: SessionOptions, logIn: (request: AnyRequest) => Promise<LoggedIn>) {
    this.#options = options;
    this.#logIn = logIn;
  }

  /** Returns the session; undefined for the log-in itself. Requests at the same time share a log-in. Rejects with `UpstreamFailure` within `msMax`. */
  async find(request: AnyRequest, msMax: number): Promise<Session | undefined> {
    const { logIn, msMax: ageMax = Number.POSITIVE_INFINITY } = this.#options;
    if (request.operation === logIn) return undefined;
    const session = this.#session;
    if (session !== undefined && performance.now() - session.startedAt < ageMax) return session;
    if (this.#failure !== undefined && performance.now() < this.#failure.until) throw this.#failure.failure;
    this.#pending ??= this.#start(request).finally(() => {
      this.#pending = undefined;
    });
    const started = await atMost(msMax, this.#pending);
    if (started === undefined) throw new UpstreamFailure('totalTimeout', 'notSent', { detail: 'logIn' });
    return started;
  }

  /** The upstream says that the session has ended. Returns whether another one may be tried. */
  end(session: Session): boolean {
    if (this.#session !== session) return true;
    if (performance.now() - session.startedAt < renewedAfterMs) return false;
    this.#session = undefined;
    return true;
  }

  async #start(request: AnyRequest): Promise<Session> {
    const { service, logIn: operation, input } = this.#options;
    try {
      const answer = await this.#logIn({ ...request, service, operation, input, key: undefined });
      const session = this.#read(answer);
      this.#session = session;
      this.#failures = 0;
      this.#failure = undefined;
      return session;
    } catch (thrown) {
      const failure = failureOfLogIn(thrown);
      this.#failures += 1;
      this.#failure = { failure, until: performance.now() + backoffMs(this.#failures, backoff) };
      throw failure;
    }
  }

  #read({ output, headers }: LoggedIn): Session {
    const { values: places, headers: templates, cookies: hasCookies } = this.#options;
    const values = Object.fromEntries(
      Object.entries(places).map(([name, place]) => [name, valueAt(place, output, headers)] as const),
    );
    const filled = Object.entries(templates).map(([name, template]) => {
      const text = template.replace(/\{(\w+)\}/g, (_, value: string) => values[value] ?? '');
      if (!/^[\x20-\x7e]*$/.test(text)) throw new UpstreamFailure('contract', 'notSent', { detail: 'logIn' });
      return [name, text] as const;
    });
    const cookies = new Map<string, string>();
    if (hasCookies) readCookies(headers['set-cookie'], cookies);
    return { values, headers: Object.fromEntries(filled), cookies, startedAt: performance.now() };
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

function valueAt(place: SessionValue, output: unknown, headers: Reply['headers']): string {
  let value: unknown = output;
  if ('header' in place) value = headers[place.header];
  else
    for (const step of place.path)
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, step)
          ? (value as Readonly<Record<string, unknown>>)[step]
          : undefined;
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  if (text === '' || text.length > valueLengthMax)
    throw new UpstreamFailure('contract', 'notSent', { detail: 'logIn' });
  return text;
}

/** The request that needs the session was not sent. What the upstream says about a log-in is not for callers. */
function failureOfLogIn(thrown: unknown): UpstreamFailure {
  if (thrown instanceof Problem)
    return new UpstreamFailure('unauthorized', 'notDone', { detail: `logIn ${thrown.status}`, cause: thrown });
  const reason = thrown instanceof UpstreamFailure ? thrown.reason : 'notPrepared';
  const isRefused = reason === 'unauthorized' || reason === 'contract';
  const detail = thrown instanceof UpstreamFailure ? `logIn ${thrown.detail}`.trim() : 'logIn';
  return new UpstreamFailure(reason, isRefused ? 'notDone' : 'notSent', { detail, cause: thrown });
}
