/** Calls the service of the console, with the session of the page. */
import type { Operation } from '../../core/contract/index.ts';
import type { LoggedIn, LogIn, SessionState } from '../session/log-in.ts';
import type { Answer } from './wire.ts';

export type { Answer, Question } from './wire.ts';
export type { LoggedIn, LogIn, SessionState };

const base = '/console/api/v1';

interface InvalidField {
  readonly name: string;
  readonly message: string;
}

/** A refusal of the service, or a server that did not answer (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly invalidFields: readonly InvalidField[];
  /** Names the request in the log of the gateway. */
  readonly requestId: string | undefined;
  constructor(status: number, message: string, invalidFields: readonly InvalidField[] = [], requestId?: string) {
    super(message);
    this.status = status;
    this.invalidFields = invalidFields;
    this.requestId = requestId;
  }
}

/** What a failed call has thrown. Another fault of the page counts as a call without an answer. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError(0, String(thrown));
}

/** A page without input for so long refreshes itself only, which does not keep the session. */
const unusedMs = 60_000;
let touchedAt = Date.now();
for (const kind of ['pointerdown', 'keydown', 'wheel'])
  addEventListener(kind, () => (touchedAt = Date.now()), { capture: true, passive: true });

let csrfToken: string | undefined;
let sessionEnded: () => void = () => {};

/** `listener`: called when the server says that the session has ended. */
export function onSessionEnd(listener: () => void): void {
  sessionEnded = listener;
}

/** Tells the other tabs of this browser, which have the same cookie, that it names another session or none. */
const otherTabs = new BroadcastChannel('triglyph-console-session');

/** `listener`: called when another tab has logged in or out. */
export function onOtherTab(listener: () => void): void {
  otherTabs.onmessage = listener;
}

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** `path`: below `/console/api/v1`, filled in: `/callers/cr_1`. Texts in it are encoded by `pathOf`. */
export function read<O extends Operation>(
  path: string,
  query: QueryValues = {},
  signal?: AbortSignal,
): Promise<Answer<O>> {
  return call<Answer<O>>('GET', addressOf(path, query), undefined, signal);
}

/** `body`: the fields that are neither in the path nor in the query. */
export function send<O extends Operation>(path: string, body: object = {}, signal?: AbortSignal): Promise<Answer<O>> {
  return call<Answer<O>>('POST', base + path, body, signal);
}

/** Fills texts into a path: ``pathOf`/callers/${id}` ``. */
export function pathOf(parts: TemplateStringsArray, ...texts: readonly string[]): string {
  return parts.reduce((path, part, at) => path + encodeURIComponent(texts[at - 1]!) + part);
}

/** `path`: below `/console/api/v1`. */
export function addressOf(path: string, query: QueryValues = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return base + path + (text === '' ? '' : `?${text}`);
}

/** The items of a list in an answer: the service leaves an empty list out. */
export function itemsOf<T>(list: readonly T[] | undefined): readonly T[] {
  return list ?? [];
}

export const session = {
  find: () => accept(call<SessionState>('GET', '/console/session')),
  logIn: (given: LogIn) => announce(accept(call<SessionState>('POST', '/console/session', given))),
  logOut: () => announce(accept(call<SessionState>('DELETE', '/console/session'))),
};

async function announce(answer: Promise<SessionState>): Promise<SessionState> {
  const state = await answer;
  otherTabs.postMessage('changed');
  return state;
}

async function accept(answer: Promise<SessionState>): Promise<SessionState> {
  const state = await answer;
  csrfToken = state.session?.csrfToken;
  return state;
}

async function call<T>(method: string, address: string, body?: object, signal?: AbortSignal): Promise<T> {
  const response = await fetch(address, {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(csrfToken !== undefined && { 'X-Console-Token': csrfToken }),
      ...(Date.now() - touchedAt > unusedMs && { 'X-Console-Refresh': '1' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
    credentials: 'same-origin',
    cache: 'no-store',
  }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown;
    throw new ApiError(0, 'The gateway did not answer.');
  });
  const value: unknown = await response.json().catch(() => undefined);
  signal?.throwIfAborted();
  if (response.ok && value === undefined) throw new ApiError(0, 'The answer of the gateway was cut off.');
  if (response.ok) return value as T;
  if (response.status === 401 && csrfToken !== undefined) {
    csrfToken = undefined;
    sessionEnded();
  }
  throw errorOf(response, value);
}

function errorOf(response: Response, value: unknown): ApiError {
  const { detail, invalidFields, requestId } = (value ?? {}) as {
    readonly detail?: string;
    readonly invalidFields?: readonly InvalidField[];
    readonly requestId?: string;
  };
  const seconds = Number(response.headers.get('Retry-After'));
  const message = detail ?? `The gateway answered with ${response.status}.`;
  const wait = response.status === 429 && seconds > 0 ? `; try again in ${durationText(seconds)}` : '';
  return new ApiError(response.status, message + wait, invalidFields, requestId);
}

function durationText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}

/** Reads a file of the page. Its name changes with its content, so the browser keeps it. */
export async function readJson<T>(address: string): Promise<T> {
  const response = await fetch(address);
  if (!response.ok) throw new ApiError(response.status, 'The file could not be loaded. Load the page again.');
  return response.json();
}

/** Saves a file on the machine of the reader. `type`: its media type. */
export function saveFile(name: string, content: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
