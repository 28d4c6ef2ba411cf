/** Calls the balance platform through a whole gateway. */
import { callers } from './fixture.ts';
import type { TestGateway } from './gateway.ts';
import { requirePublicAnswer } from './public-answers.ts';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has whatever its operation gives
  readonly body: any;
  /** The raw body. */
  readonly text: string;
}

export type Headers = Readonly<Record<string, string | undefined>>;

export interface Asking {
  readonly who?: Headers;
  readonly headers?: Headers;
  /** 2 where it is left out. */
  readonly version?: number;
}

export interface Resources {
  get(path: string, asking?: Asking): Promise<ReceivedResponse>;
  /** Sends `body` as JSON; a string unchanged; no body where it is undefined. */
  post(path: string, body?: unknown, asking?: Asking): Promise<ReceivedResponse>;
  patch(path: string, body?: unknown, asking?: Asking): Promise<ReceivedResponse>;
  ask(method: string, path: string, body?: unknown, asking?: Asking): Promise<ReceivedResponse>;
}

const json = { 'content-type': 'application/json' };

/** Paths are relative to the address of the service. */
export const resourcesOf = (gateway: TestGateway): Resources => {
  const ask: Resources['ask'] = async (
    method,
    path,
    body,
    { who = callers.platform, headers = {}, version = 2 } = {},
  ) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const { message, entry } = await gateway.ask({
      method,
      path: `/bcl/v${version}${path}`,
      headers: { ...(body === undefined ? {} : json), ...who, ...headers },
      body: text,
    });
    // No request may cause an internal error.
    if (entry.problem?.problem === 'internal') throw entry.problem.cause;
    const received = JSON.parse(message.body);
    requirePublicAnswer({ method, path, status: message.status, body: received, version });
    return { status: message.status, headers: message.headers, body: received, text: message.body };
  };
  return {
    ask,
    get: (path, asking) => ask('GET', path, undefined, asking),
    post: (path, body, asking) => ask('POST', path, body, asking),
    patch: (path, body, asking) => ask('PATCH', path, body, asking),
  };
};

/** Returns an error response without its request-specific members. */
export const essence = ({ status, body: { requestId: _, instance: _instance, ...body } }: ReceivedResponse) => ({
  status,
  ...body,
});
