/** A client that ends even where its server does not answer. */
import { Client } from 'pg';

/** How long a server may take to close its end of a connection. One that hangs never does. */
const goodbyeMsMax = 1_000;

export class ClosingClient extends Client {
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // The open socket keeps the process alive for so long, and no longer.
    const timer = setTimeout(() => this.connection.stream.destroy(), goodbyeMsMax).unref();
    this.once('end', () => clearTimeout(timer));
    return callback === undefined ? super.end() : super.end(callback);
  }
}
