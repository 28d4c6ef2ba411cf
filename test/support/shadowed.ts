/** A gateway in front of an old server, which is asked in SOAP, with a new one next to it, which is asked in JSON. */
import { createGateway, type RunningGateway } from 'triglyph';
import {
  dateTime,
  decimal,
  defineProblems,
  kind,
  list,
  object,
  operation,
  optional,
  Problem,
  required,
  service,
  string,
} from 'triglyph/contract';
import type { ShadowOptions, UpstreamOptions } from '../../src/backend/upstreams/options.ts';
import { type StartedGateway, startGateway } from '../../src/program/app/create-gateway.ts';

const problems = defineProblems({ entryNotFound: kind(422, '1002', 'validation', 'Entry not found') });
const number = string({ pattern: '[A-Z0-9-]{1,20}', example: 'A-1' });

const getEntry = operation({
  name: 'getEntry',
  doc: 'Returns an entry.',
  effect: 'reads',
  role: 'desk',
  problems: [problems.entryNotFound],
  input: object('EntryRequest', { number: required(number, 'The number.') }),
  output: object('Entry', {
    number: required(number, 'The number.'),
    amount: required(decimal({ digits: 12, fraction: 2, example: '10.50' }), 'The amount.'),
    bookedAt: required(dateTime(1_774_000_000_000), 'When it was booked.'),
    card: optional(string({ sensitive: true, example: '4111111111111111' }), 'The number of the card.'),
    tags: optional(list(string({ example: 'new' }), 'tag', { max: 10 }), 'The tags.'),
  }),
});

const addEntry = operation({
  name: 'addEntry',
  doc: 'Adds an entry.',
  effect: 'writes',
  role: 'desk',
  problems: [],
  input: object('NewEntry', { number: required(number, 'The number.') }),
  output: object('AddedEntry', { status: required(string({ example: 'added' }), 'The status.') }),
});

export const desk = service({
  name: 'Desk',
  version: 1,
  doc: 'Entries of a desk.',
  address: '/desk',
  namespaces: { own: 'desk', uris: { desk: 'urn:test:desk' } },
  soapStyle: 'wrapped',
  problems,
  operations: [getEntry, addEntry],
});

/** What the old server answers. */
export const entry = {
  amount: '10.50',
  bookedAt: 1_774_000_000_000,
  card: '4111111111111111',
  tags: ['new', 'paid'],
};

export interface DeskServer extends AsyncDisposable {
  readonly url: string;
  /** Changes what it answers. */
  alter: (answer: typeof entry & { number: string }) => object;
  /** The numbers of the requests, and of the effects of writes. */
  readonly reads: string[];
  readonly effects: string[];
}

const backKey = 'key-of-the-gateway';

/** Starts a server of entries. Numbers that begin with MISSING are not found. */
export async function startDesk(): Promise<DeskServer> {
  const reads: string[] = [];
  const effects: string[] = [];
  let gateway: RunningGateway | undefined;
  const server: DeskServer = {
    url: '',
    alter: (answer) => answer,
    reads,
    effects,
    async [Symbol.asyncDispose]() {
      await gateway?.close();
    },
  };
  gateway = await createGateway({
    services: [
      desk.with({
        async getEntry({ input }) {
          reads.push(input.number);
          if (input.number.startsWith('MISSING')) throw new Problem(problems.entryNotFound);
          return server.alter({ number: input.number, ...entry }) as never;
        },
        async addEntry({ input }) {
          effects.push(input.number);
          return { status: 'added' };
        },
      }),
    ],
    callers: [{ tenant: 'Back', apiKey: backKey }],
  });
  return Object.assign(server, { url: String(await gateway.listen()) });
}

export const credentials = { apiKey: { inClear: backKey } } as const;

/** The callers of the gateway, by their keys. */
export const callers = Array.from({ length: 40 }, (_, at) => ({ tenant: 'Front', apiKey: `key-of-caller-${at + 1}` }));

export interface Front extends AsyncDisposable, StartedGateway {
  read(number: string, caller?: number): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  write(
    number: string,
    key?: string,
    caller?: number,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** Changes what operators may change, and takes it over. */
  readonly shadows: StartedGateway['backend']['shadows'];
}

export interface FrontOptions {
  readonly old: string;
  readonly shadow?: ShadowOptions;
  readonly upstream?: Partial<UpstreamOptions>;
  readonly settings?: Readonly<Record<string, string>>;
  /** For several gateways on one store. */
  readonly store?: { readonly databaseUrl: string };
  readonly keys?: string;
}

export async function startFront({ old, shadow, upstream, settings = {}, ...shared }: FrontOptions): Promise<Front> {
  const erp: UpstreamOptions = { url: old, format: 'soap11', credentials, ...upstream, ...(shadow && { shadow }) };
  const started = await startGateway({
    services: [desk.answeredBy('erp')],
    upstreams: { erp },
    callers,
    settings: { LOG_LEVEL: 'silent', ...settings },
    ...shared,
  });
  const { gateway, backend } = started;
  const call = async (name: string, input: object, caller: number, headers: Readonly<Record<string, string>> = {}) => {
    const response = await gateway.fetch(
      new Request(`http://localhost/desk/v1/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': `key-of-caller-${caller}`, ...headers },
        body: JSON.stringify(input),
      }),
    );
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    ...started,
    shadows: backend.shadows,
    read: (number, caller = 1) => call('getEntry', { number }, caller),
    write: (number, key, caller = 1) =>
      call('addEntry', { number }, caller, key === undefined ? {} : { 'Idempotency-Key': key }),
    async [Symbol.asyncDispose]() {
      await gateway.close();
    },
  };
}
