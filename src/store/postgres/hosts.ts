/** Chooses the host of each new connection: tries them in turn, and stays with the one that writes. */
import type { ClientBase } from 'pg';
import type { DatabaseAddress } from './address.ts';

export class DatabaseHosts {
  readonly count: number;
  readonly #address: DatabaseAddress;
  readonly #urls = new WeakMap<ClientBase, string>();
  #next = 0;
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
  }

  /** Throws for a server that refuses writes. Runs once for each new connection. */
  async verify(client: ClientBase): Promise<void> {
    if (!this.#address.requiresWrites) return;
    const { rows } = await client.query<{ readonly transaction_read_only: string }>('show transaction_read_only');
    if (rows[0]?.transaction_read_only !== 'off') throw new Error('the database is read-only');
    this.#writer = this.#urls.get(client);
  }

  /** Whether the connection goes to the host that writes: after a failover the others are closed. */
  isCurrent(client: ClientBase): boolean {
    return !this.#address.requiresWrites || this.#urls.get(client) === this.#writer;
  }

  /** The server of this connection refused to write: its other connections are closed, and new ones verified. */
  distrust(client: ClientBase): void {
    if (this.#urls.get(client) === this.#writer) this.#writer = undefined;
  }
}
