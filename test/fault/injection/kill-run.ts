/** Kills servers one after the other while clients send to them: what the tracks of requests, webhooks and updaters share. */
import { setTimeout as after } from 'node:timers/promises';
import type { Call } from '../../../src/core/formats/protocol.ts';
import type { Random } from '../../simulation/random.ts';
import type { Variables } from '../../support/commands.ts';
import { hangMsMax } from '../../support/until.ts';
import { type Fleet, plainProgram, type ServerProgram, startFleet } from './fleet.ts';

/** How many kills a run has. `KILLS=20` makes it a long one. */
export const kills = Number(process.env.KILLS ?? 2);
export const isLongRun = process.env.KILLS !== undefined;

/** Where a server dies: wherever it is, or at a point, within the time limit. */
export type KillWay = 'at once' | { readonly point: string; readonly msMax: number };

export interface KillTrack {
  readonly program?: ServerProgram;
  /** Where the servers run. */
  readonly folder: string;
  readonly variables?: Variables;
  readonly servers: number;
  readonly clients: number;
  readonly random: Random;
  readonly kills?: number;
  readonly ways?: readonly KillWay[];
  /** Sends what a client sends next. `turn` rises with each step of the client. */
  step(fleet: Fleet, client: number, turn: number): Promise<unknown>;
  /** Each kill waits for it. */
  isRipe?(): Promise<void>;
  /** The end waits for it. */
  hasEnough?(fleet: Fleet): Promise<void>;
}

/** Runs the servers of the track, and kills them under its load. Then `settle` sends what is open to them, and compares. */
export async function runUnderKills<T>(track: KillTrack, settle: (fleet: Fleet) => Promise<T>): Promise<T> {
  const { folder, variables = {}, clients, program = plainProgram } = track;
  const fleet = await startFleet(track.servers, folder, variables, program);
  const over = new AbortController();
  const load = Array.from({ length: clients }, async (_, client) => {
    for (let turn = 0; !over.signal.aborted; turn += 1)
      if (fleet.servers.some(({ address }) => address !== undefined)) await track.step(fleet, client, turn);
      else await after(10);
  });
  try {
    // A client that throws ends the run.
    await Promise.race([killInTurn(track, fleet), Promise.all(load)]);
    over.abort();
    await Promise.all(load);
    for (const server of fleet.servers) await server.ready();
    return await settle(fleet);
  } finally {
    over.abort();
    await fleet.discard();
  }
}

async function killInTurn(track: KillTrack, fleet: Fleet): Promise<void> {
  const { random, ways = ['at once'], kills: count = kills } = track;
  const first = random.below(ways.length);
  for (let kill = 0; kill < count; kill += 1) {
    const server = fleet.servers[kill % fleet.servers.length]!;
    await server.ready();
    await track.isRipe?.();
    await after(50 + random.below(300));
    const way = ways[(first + kill) % ways.length]!;
    const { point, msMax } = way === 'at once' ? { point: '', msMax: 0 } : way;
    // A process that does not reach the point dies elsewhere.
    if (way === 'at once' || !(await server.interrupt({ point, signal: 'SIGKILL' }, msMax))) await server.kill();
  }
  for (const server of fleet.servers) await server.ready();
  await track.hasEnough?.(fleet);
}

/** Sends a request to one of the servers that are up. Undefined where none is, or the connection breaks. */
export async function sendTo(
  fleet: Fleet,
  at: number,
  { path, contentType, body }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string } | 'cut off' | 'down'> {
  if (fleet.isOver()) throw new Error('the run is over');
  const addresses = fleet.servers.flatMap(({ address }) => address ?? []);
  const address = addresses[at % addresses.length];
  if (address === undefined) return 'down';
  try {
    const signal = AbortSignal.timeout(hangMsMax);
    const sent = { method: 'POST', headers: { 'content-type': contentType, ...headers }, body, signal };
    const response = await fetch(address + path, sent);
    return { status: response.status, text: await response.text() };
  } catch {
    return 'cut off';
  }
}

/** Sends rounds of what is still open, until nothing is or the time limit is over. */
export async function settleAll<T>(
  open: () => readonly T[],
  send: (each: T, round: number, at: number) => Promise<unknown>,
): Promise<void> {
  const endsAt = performance.now() + hangMsMax;
  for (let round = 1; performance.now() < endsAt; round += 1) {
    const left = open();
    if (left.length === 0) return;
    await Promise.all(left.map((each, at) => send(each, round, at)));
    if (open().length > 0) await after(300);
  }
}
