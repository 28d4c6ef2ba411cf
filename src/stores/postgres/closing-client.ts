/** A client that gives up a server that does not answer, when it connects and when it ends. */
import { Client } from 'pg';

/** The longest wait for a connection, in steps. */
const connectStepMs = 100;
const connectSteps = 20;

/** How long a server may take to close its end of a connection. One that hangs never does. */
const goodbyeMsMax = 1_000;

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

export class ClosingClient extends Client {
  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<Client> | undefined {
    let steps = 0;
    // A process that stood still counts one step only: the answer may have arrived meanwhile, and is read next.
    const timer = setInterval(() => {
      steps += 1;
      if (steps === connectSteps) this.connection.stream.destroy(new Error('connection timeout'));
    }, connectStepMs).unref();
    for (const event of ['connect', 'end']) this.once(event, () => clearInterval(timer));
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // The open socket keeps the process alive for so long, and no longer.
    const timer = setTimeout(() => this.connection.stream.destroy(), goodbyeMsMax).unref();
    this.once('end', () => clearTimeout(timer));
    return callback === undefined ? super.end() : super.end(callback);
  }
}
