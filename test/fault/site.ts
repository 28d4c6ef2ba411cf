/** Servers over one database, whose callers send each request until its answer is final. */
import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Variables } from '../support/commands.ts';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { callIn, card, openCaller } from '../support/traffic.ts';
import { until } from '../support/until.ts';

const finalMsMax = 120_000;
/** Of a client between two requests: the load leaves time for the failover, and each answer is repeated after it. */
const pauseMs = 60;

export interface Site {
  readonly folder: TempFolder;
  readonly authorization: string;
  /** They change where a server is restarted. */
  readonly servers: Server[];
  readonly start: () => Promise<Server>;
}

export interface SiteOptions {
  readonly servers: number;
  readonly variables: Variables;
  /** The program of the servers, where it is not the gateway's own. */
  readonly file?: string | undefined;
}

export async function openSite({ servers: count, variables: added, file }: SiteOptions): Promise<Site> {
  const folder = tempFolder();
  const { variables, credential } = await prepareProduction(folder.path, added);
  const start = () => startServer('serve', folder.path, variables, { file });
  const servers = await Promise.all(Array.from({ length: count }, start));
  return { folder, authorization: basic(credential.username, credential.secret), servers, start };
}

export async function closeSite({ servers, folder }: Pick<Site, 'servers' | 'folder'>): Promise<void> {
  await Promise.all(servers.map((server) => server.kill()));
  folder.discard();
}

export interface FinalAnswer {
  readonly status: number;
  readonly reference: string | undefined;
  readonly replayed: boolean;
}

/** Sends once. Undefined: the answer is not final. */
export async function tryToStore(
  { servers, authorization }: Pick<Site, 'servers' | 'authorization'>,
  key: string,
  at: number,
): Promise<FinalAnswer | undefined> {
  const recurring = { contract: ['RECURRING'] };
  const call = callIn('json', 'storeToken', { merchantAccount: 'AcmeWeb', shopperReference: key, card, recurring });
  const caller = openCaller(servers[at % servers.length]!.callers, authorization, 1);
  const received = await caller.ask(call, key).catch(() => undefined);
  caller.close();
  if (received === undefined || received.headers['transient-error'] === 'true') return undefined;
  const { status, headers } = received;
  return { status, reference: headers.pspreference, replayed: headers['idempotent-replayed'] === 'true' };
}

/** Stores a card of the key's own shopper: sends until the answer is final. */
export async function storeToken(
  site: Pick<Site, 'servers' | 'authorization'>,
  key: string,
  at: number,
): Promise<FinalAnswer> {
  const endsAt = performance.now() + finalMsMax;
  for (;;) {
    const answer = await tryToStore(site, key, at);
    if (answer !== undefined) return answer;
    if (performance.now() > endsAt) throw new Error('no final answer');
    await after(50);
  }
}

export interface Survived {
  /** Keys that were answered before the failover. */
  readonly answered: number;
  /** Of these, with another answer after it. */
  readonly changed: number;
  /** Details beyond one for each key. */
  readonly doubled: number;
}

export function expectNothingLost({ answered, changed, doubled }: Survived): void {
  expect(answered).toBeGreaterThan(0);
  expect({ changed, doubled }).toEqual({ changed: 0, doubled: 0 });
}

/** Every answer before the failover names an effect that the standby does not have. */
export function expectAllLost({ answered, changed, doubled }: Survived): void {
  expect(answered).toBeGreaterThan(0);
  expect({ changed, doubled }).toEqual({ changed: answered, doubled: 0 });
}

export interface Failover {
  failOver(): Promise<void>;
  /** How many details are stored. */
  countDetails(): Promise<number>;
}

/** Clients store details while the primary of the database is replaced. */
export async function failOverUnderLoad(
  site: Pick<Site, 'servers' | 'authorization'>,
  { failOver, countDetails }: Failover,
): Promise<Survived> {
  const answers = new Map<string, FinalAnswer>();
  let isOver = false;
  const client = async (at: number): Promise<void> => {
    while (!isOver) {
      const key = randomUUID();
      answers.set(key, await storeToken(site, key, at));
      await after(pauseMs);
    }
  };
  const clients = Array.from({ length: 8 }, (_, at) => client(at));
  try {
    await until('answers', () => answers.size > 3 * clients.length);
    const before = new Map(answers);
    await failOver();
    await until('answers after the failover', () => answers.size > before.size + 2 * clients.length);
    isOver = true;
    await Promise.all(clients);
    let changed = 0;
    for (const [key, { reference }] of answers) {
      const retried = await storeToken(site, key, 0);
      if (before.has(key) && retried.reference !== reference) changed += 1;
    }
    return { answered: before.size, changed, doubled: (await countDetails()) - answers.size };
  } finally {
    isOver = true;
  }
}
