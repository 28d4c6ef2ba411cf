/** Chooses the host of each new connection, and says which connections are left: those of a server that failed. */
import type { ClientBase } from 'pg';
import type { DatabaseAddress } from '../postgres-address.ts';

export class DatabaseHosts {
  readonly count: number;
  readonly #address: DatabaseAddress;
  readonly #urls = new WeakMap<ClientBase, string>();
  readonly #generations = new WeakMap<ClientBase, number>();
  #next = 0;
  /** How often a server has failed. Connections from before are not used again. */
  #generation = 0;
  /** The host of the last connection that was found to write. */
  #writer: string | undefined;

  constructor(address: DatabaseAddress) {
    this.#address = address;
    this.count = address.urls.length;
  }

  /** The host that the next connection goes to. */
  get next(): string {
    return this.#address.urls[this.#next]!;
  }

  /** Moves on to the next host. Ignores a host that another request has already left. */
  skip(url: string): void {
    if (url === this.next) this.#next = (this.#next + 1) % this.count;
  }

  assign(client: ClientBase, url: string): void {
    this.#urls.set(client, url);
    this.#generations.set(client, this.#generation);
  }

  /** The host of a connection. */
  urlOf(client: ClientBase): string {
    return this.#urls.get(client) ?? this.next;
  }

  /** Throws for a server that refuses writes. Runs once for each new connection. */
  async verify(client: ClientBase): Promise<void> {
    if (!this.#address.requiresWrites) return;
    const { rows } = await client.query<{ readonly transaction_read_only: string }>('show transaction_read_only');
    if (rows[0]?.transaction_read_only !== 'off') throw new Error('the database is read-only');
    this.#writer = this.#urls.get(client);
  }

  /** Whether the connection may be used: after a failure and a failover the others are closed. */
  isCurrent(client: ClientBase): boolean {
    if (this.#generations.get(client) !== this.#generation) return false;
    return !this.#address.requiresWrites || this.#urls.get(client) === this.#writer;
  }

  /**
   * The server of this connection refused to write, or did not answer: the other connections are closed before their next
   * use. Those to a machine that hangs or is cut off look alive, and each would cost a request its time.
   */
  distrust(client: ClientBase): void {
    // Many connections find the same failure.
    if (this.#generations.get(client) === this.#generation) this.#generation += 1;
  }
}
