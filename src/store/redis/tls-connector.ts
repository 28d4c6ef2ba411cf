/** Connects to a Redis server over TLS, and handles every error of the socket. */
import { connect, type TLSSocket } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';

/**
 * Replaces the connector of the client. That one listens for one error only: a connection that is closed during its handshake has a
 * second one, which would end the process.
 */
export class TlsConnector extends AbstractConnector {
  readonly #options: RedisOptions;

  /** The client passes its own options, and declares their type nowhere. */
  constructor(given: unknown) {
    const options = given as RedisOptions;
    super(options.disconnectTimeout ?? 0);
    this.#options = options;
  }

  override async connect(): Promise<TLSSocket> {
    const { host, port, tls } = this.#options;
    this.connecting = true;
    // As the client does: a caller may disconnect in the meantime.
    await Promise.resolve();
    if (!this.connecting) throw new Error('Connection is closed.');
    const socket = connect({ ...(host !== undefined && { host }), ...(port !== undefined && { port }), ...tls });
    socket.on('error', (thrown) => {
      this.firstError ??= thrown;
    });
    this.stream = socket;
    return socket;
  }
}
