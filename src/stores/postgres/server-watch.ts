/** Watches the server of a statement without a time limit: asks on another connection whether it still works on it. */
import type { ClientBase, ClientConfig } from 'pg';
import { ClosingClient } from './closing-client.ts';
import { serverError } from './failure.ts';

export interface WatchTimes {
  /** The pause before each question. */
  readonly pauseMs: number;
  /** How long nothing may show that the server works on the statement. */
  readonly silenceMsMax: number;
}

/** A machine that is suspended for a backup, or a server that is short of connections, gets more than one question. */
export const watchTimes: WatchTimes = { pauseMs: 5_000, silenceMsMax: 20_000 };

export class ServerWatch {
  readonly #optionsOf: (client: ClientBase) => ClientConfig;
  readonly #isPooled: boolean;
  readonly #times: WatchTimes;

  /** `optionsOf`: how the server of a connection is reached again. `isPooled`: PgBouncer lies between. */
  constructor(optionsOf: (client: ClientBase) => ClientConfig, isPooled: boolean, times: WatchTimes) {
    this.#optionsOf = optionsOf;
    this.#isPooled = isPooled;
    this.#times = times;
  }

  /** Returns the function that ends the watch. `giveUp` runs once, when the silence has lasted too long. */
  begin(client: ClientBase, giveUp: () => void): () => void {
    const { pauseMs, silenceMsMax } = this.#times;
    let workedAt = performance.now();
    let isOver = false;
    const ask = async () => {
      const works = await this.#worksFor(client);
      if (isOver) return;
      if (works) workedAt = performance.now();
      if (performance.now() - workedAt > silenceMsMax) giveUp();
      else timer = setTimeout(ask, pauseMs);
    };
    let timer = setTimeout(ask, pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  async #worksFor(client: ClientBase): Promise<boolean> {
    const probe = new ClosingClient(this.#optionsOf(client));
    probe.on('error', () => {});
    try {
      await probe.connect();
      if (this.#isPooled) {
        // PgBouncer hides which process of the server runs the statement.
        await probe.query('select 1');
        return true;
      }
      const { rows } = await probe.query<{ readonly works: boolean | number }>(isActive, [processOf(client)]);
      return Boolean(rows[0]?.works);
    } catch (thrown) {
      // A server that refuses the question, such as for too many connections, is alive.
      return serverError(thrown) !== undefined;
    } finally {
      await probe.end().catch(() => {});
    }
  }
}

/** Engines that speak the protocol may have an empty view. It says nothing then, not even of the connection that asks. */
const isActive = `select exists (select 1 from pg_stat_activity where pid = $1 and state = 'active')
  or not exists (select 1 from pg_stat_activity where pid = pg_backend_pid()) as works`;

/** The types of the client lack it. */
function processOf(client: ClientBase): number {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : 0;
}
