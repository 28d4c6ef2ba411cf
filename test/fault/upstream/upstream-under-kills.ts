/** Stores tokens through gateways that are killed and restarted, and compares the answers with what the upstream did. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createProtocols, namedProtocols } from '../../../src/formats/index.ts';
import { services } from '../../../src/services/index.ts';
import { recurringV25 } from '../../../src/services/recurring/versions.ts';
import type { Random } from '../../simulation/random.ts';
import { triglyph } from '../../support/commands.ts';
import { type JsonServer, startJsonServer } from '../../support/json-server.ts';
import { basic, type Production, prepareProduction, type Server, startServer } from '../../support/server.ts';
import { type Defect, type FaultyUpstream, startFaultyUpstream } from './faulty-upstream.ts';
import type { Mode } from './matrix.ts';

export interface KillPlan {
  readonly mode: Mode;
  readonly kills: number;
  /** Two need PostgreSQL. */
  readonly gateways: 1 | 2;
  readonly databaseUrl?: string;
  readonly defect?: Defect;
}

/** Shoppers, each of whom has one request. */
export interface KillFindings {
  readonly sent: number;
  /** Cut off by a kill. */
  readonly cutOff: number;
  /** With a key, and the outcome is answered as unknown. */
  readonly unknown: number;
  readonly doubled: readonly string[];
  /** Told as stored, and the upstream has not stored it. */
  readonly lost: readonly string[];
  /** With a key, and no retry gets a final answer. */
  readonly unsettled: readonly string[];
  /** The outcome is answered as unknown, and `triglyph pending list` does not show it; or the other way round. */
  readonly unlisted: readonly string[];
}

interface Sent {
  readonly shopper: string;
  readonly key: string | undefined;
  readonly format: number;
  result: 'stored' | 'unknown' | 'refused' | 'cut off' | 'not sent';
  wasCutOff: boolean;
}

const merchantAccount = 'AcmeWeb';
const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };
const storeToken = recurringV25.operations.get('storeToken')!;
const protocols = createProtocols(services);
const callers = 6;
/** The upstream takes this long before and after its effect. */
const delayMsMax = 25;
const liveMsMax = 250;
/** A request whose process was killed counts as in flight for about ten seconds. */
const settleMsMax = 60_000;

export async function storeTokensUnderKills(plan: KillPlan, folder: string, random: Random): Promise<KillFindings> {
  const also = plan.databaseUrl === undefined ? {} : { DATABASE_URL: plan.databaseUrl };
  const production = await prepareProduction(folder, also);
  const authorization = basic(production.credential.username, production.credential.secret);
  const jsonServer = await startJsonServer({
    deduplicate: plan.mode === 'header',
    credentials: { [authorization]: { accounts: [merchantAccount] } },
    details: [],
  });
  const upstream = await startFaultyUpstream({
    target: jsonServer.origin,
    delayMs: () => random.below(delayMsMax),
    defect: plan.defect,
  });
  writeConfiguration(folder, upstream, plan.mode);
  const run = new Run(plan, folder, production, authorization, random);
  try {
    await run.putLoad();
    await run.settle();
    return await run.compare(jsonServer);
  } finally {
    await run.stop();
    await upstream.close();
    await jsonServer.close();
  }
}

function writeConfiguration(folder: string, { port }: FaultyUpstream, idempotency: Mode): void {
  const timeouts = { connectMs: 1_000, headersMs: 1_000, bodyMs: 1_000 };
  const json = { url: `http://127.0.0.1:${port}`, credentials: 'forward', idempotency, timeouts };
  const config = { upstreams: { json }, answeredBy: { Recurring: 'json' } };
  writeFileSync(join(folder, 'triglyph.config.json'), JSON.stringify(config));
}

class Run {
  readonly #plan: KillPlan;
  readonly #folder: string;
  readonly #production: Production;
  readonly #authorization: string;
  readonly #random: Random;
  readonly #sent: Sent[] = [];
  #servers: (Server | undefined)[] = [];

  constructor(plan: KillPlan, folder: string, production: Production, authorization: string, random: Random) {
    this.#plan = plan;
    this.#folder = folder;
    this.#production = production;
    this.#authorization = authorization;
    this.#random = random;
  }

  /** Kills one gateway after the other, each some time after it has answered under load. */
  async putLoad(): Promise<void> {
    const { kills, gateways } = this.#plan;
    this.#servers = await Promise.all(Array.from({ length: gateways }, () => this.#start()));
    for (let kill = 0; kill < kills; kill += 1) {
      const at = kill % gateways;
      const ended = new AbortController();
      const load = Array.from({ length: callers }, (_, index) => this.#call(index, ended.signal));
      await wait(50 + this.#random.below(liveMsMax));
      const victim = this.#servers[at]!;
      this.#servers[at] = undefined;
      await victim.kill();
      // The other gateway goes on for a while.
      if (gateways > 1) await wait(this.#random.below(liveMsMax));
      ended.abort();
      await Promise.all(load);
      this.#servers[at] = await this.#start();
    }
  }

  /** Retries each request with a key that has no final answer, in other formats. */
  async settle(): Promise<void> {
    const endsAt = performance.now() + settleMsMax;
    const isOpen = ({ key, result }: Sent) => key !== undefined && (result === 'cut off' || result === 'refused');
    for (let round = 1; performance.now() < endsAt; round += 1) {
      const open = this.#sent.filter(isOpen);
      if (open.length === 0) return;
      await Promise.all(open.map((sent, index) => this.#send(sent, round, index)));
      if (open.some(isOpen)) await wait(300);
    }
  }

  async compare(jsonServer: JsonServer): Promise<KillFindings> {
    const effects = await jsonServer.allEffects();
    const effectsOf = ({ shopper }: Sent) => effects[`storeToken ${shopper}`] ?? 0;
    const { stdout, code, stderr } = await triglyph(
      ['pending', 'list', '--json'],
      this.#folder,
      this.#production.variables,
    );
    if (code !== 0) throw new Error(`triglyph pending list ended with ${code}: ${stderr}`);
    const isListed = ({ shopper }: Sent) => stdout.includes(shopper);
    const of = (matches: (sent: Sent) => boolean) => this.#sent.filter(matches).map(({ shopper }) => shopper);
    const keyed = ({ key }: Sent) => key !== undefined;
    // Of a request without a key that is cut off, only the gateway may know the outcome.
    const mustAgree = (sent: Sent) => keyed(sent) || (sent.result === 'unknown' && this.#plan.mode === 'none');
    return {
      sent: this.#sent.length,
      cutOff: of(({ wasCutOff }) => wasCutOff).length,
      unknown: of((sent) => keyed(sent) && sent.result === 'unknown').length,
      doubled: of((sent) => effectsOf(sent) > 1),
      lost: of((sent) => sent.result === 'stored' && effectsOf(sent) === 0),
      unsettled: of((sent) => keyed(sent) && !['stored', 'unknown'].includes(sent.result)),
      unlisted: of((sent) => mustAgree(sent) && (sent.result === 'unknown') !== isListed(sent)),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server?.stop()));
  }

  #start(): Promise<Server> {
    return startServer('serve', this.#folder, { ...this.#production.variables, LOG_LEVEL: 'fatal' });
  }

  /** Every fourth request has no key. */
  async #call(index: number, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const number = this.#sent.length;
      const shopper = `shopper-${number}.`;
      const key = number % 4 === 3 ? undefined : `key-of-the-request-${number}`;
      const sent: Sent = { shopper, key, format: number % namedProtocols.length, result: 'not sent', wasCutOff: false };
      this.#sent.push(sent);
      await this.#send(sent, 0, index);
      if (this.#plan.gateways === 1 && this.#servers[0] === undefined) return;
    }
  }

  async #send(sent: Sent, round: number, index: number): Promise<void> {
    const alive = this.#servers.filter((server) => server !== undefined);
    const server = alive[(index + round) % alive.length];
    if (server === undefined) return;
    const { shopper, key, format } = sent;
    const protocol = protocols[namedProtocols[(format + round) % namedProtocols.length]!];
    const input = { merchantAccount, shopperReference: shopper, card, recurring: { contract: ['RECURRING'] } };
    const { path, contentType, body } = protocol.encodeRequest(recurringV25, storeToken, input);
    const headers = {
      'content-type': contentType,
      authorization: this.#authorization,
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    try {
      const response = await fetch(server.callers + path, { method: 'POST', headers, body });
      const text = await response.text();
      if (response.status === 200) sent.result = 'stored';
      else
        sent.result = decodeURIComponent(text.replaceAll('+', ' ')).includes('The outcome of this request is not known')
          ? 'unknown'
          : 'refused';
    } catch {
      sent.result = 'cut off';
      sent.wasCutOff = true;
    }
  }
}
