/** Holds a body while it arrives, in joined pieces: Node keeps 64 KiB of content, and a chunk of one byte takes hundreds. */
import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { JoinedPieces } from '../core/lib/index.ts';
import { holdReading, releaseReading } from './hold-reading.ts';

/** Reads a body. */
interface BodyConsumer {
  /** May throw. Returns a promise where the next piece must wait. */
  take(piece: Buffer): Promise<void> | undefined;
  end(): void;
  /** `thrown`: by `take`. The rest of the body is dropped. */
  refuse(thrown: unknown): void;
  /** The connection broke. */
  broken(cause?: unknown): void;
}

/** To be created before anything of the body arrives, or where its chunks are those of the network. */
export class ArrivingBody {
  readonly #request: IncomingMessage;
  readonly #small = new JoinedPieces();
  /** What is not read yet. The connection is not read meanwhile. */
  #held: Buffer[] = [];
  #consumer: BodyConsumer | undefined;
  /** A piece is being taken. */
  #isBusy = false;
  #isHolding = false;
  #isEnded = false;
  #isDropped = false;

  constructor(request: IncomingMessage) {
    this.#request = request;
    request.on('data', (chunk: Buffer) => {
      const piece = this.#isDropped ? undefined : this.#small.add(chunk);
      if (piece !== undefined) this.#add(piece);
    });
    request.on('end', () => {
      this.#isEnded = true;
      const rest = this.#small.end();
      if (rest.length > 0) this.#add(rest);
      else this.#continue();
      this.#release();
    });
  }

  read(consumer: BodyConsumer): void {
    const request = this.#request;
    // A destroyed stream emits no more events.
    if (request.destroyed && !this.#isEnded) {
      consumer.broken();
      return;
    }
    request.on('error', (thrown) => consumer.broken(thrown));
    request.on('close', () => {
      if (!this.#isEnded) consumer.broken();
    });
    this.#consumer = consumer;
    this.#continue();
  }

  /** Forgets what is held, and what still arrives. */
  drop(): void {
    this.#isDropped = true;
    this.#held = [];
    this.#release();
  }

  #add(piece: Buffer): void {
    if (this.#isDropped) return;
    this.#held.push(piece);
    this.#continue();
    if (this.#held.length > 0 && !this.#isEnded) this.#hold();
  }

  /** Hands over what is held. */
  #continue(): void {
    const consumer = this.#consumer;
    if (consumer === undefined) return;
    try {
      while (!this.#isBusy && !this.#isDropped) {
        const piece = this.#held.shift();
        if (piece === undefined) break;
        const taken = consumer.take(piece);
        if (taken !== undefined) this.#waitFor(taken, consumer);
      }
    } catch (thrown) {
      this.#refuse(consumer, thrown);
    }
    if (this.#isBusy || this.#isDropped) return;
    this.#release();
    if (this.#isEnded) consumer.end();
  }

  #waitFor(taken: Promise<void>, consumer: BodyConsumer): void {
    this.#isBusy = true;
    if (!this.#isEnded) this.#hold();
    taken.then(
      () => {
        this.#isBusy = false;
        this.#continue();
      },
      (thrown: unknown) => this.#refuse(consumer, thrown),
    );
  }

  #refuse(consumer: BodyConsumer, thrown: unknown): void {
    this.drop();
    consumer.refuse(thrown);
  }

  #hold(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    const { socket } = this.#request;
    // A request that came without a connection has none.
    if (socket instanceof Duplex) holdReading(socket);
    else this.#request.pause();
  }

  #release(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    const { socket } = this.#request;
    if (socket instanceof Duplex) releaseReading(socket);
    else this.#request.resume();
  }
}
