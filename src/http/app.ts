/** The Koa application: one middleware that hands each request to the documents or to the journey and writes the answer. */
import Koa from 'koa';
import type { Config } from '../app/config.ts';
import type { Message, WireRequest } from '../formats/wire.ts';
import type { Answer, LogEntry } from '../gateway/answer.ts';
import { type Documents, documentMessage } from './documents.ts';
import { clientAddress, publicOrigin } from './forwarded.ts';
import type { Observer } from './observe.ts';
import { Received } from './receive.ts';
import { respond } from './respond.ts';
import { endOfTurn } from './turn.ts';

export interface AppParts {
  /** The journey; never rejects. */
  readonly serve: (wire: WireRequest) => Promise<Answer>;
  readonly documents: Documents;
  readonly observer: Observer;
  readonly config: Config;
  /** True once the server stops: answers then end their connection. */
  readonly closing: () => boolean;
  /** Told of each request as it arrives, to be reached when its connection breaks. */
  readonly received: (received: Received) => void;
}

/** What a caller is told when the shell itself fails: no format, no reason. */
const failure: Message = Object.freeze({
  status: 500,
  contentType: 'text/plain; charset=utf-8',
  headers: Object.freeze({}),
  body: 'Internal Server Error',
});
const unknownEntry: LogEntry = Object.freeze({ protocol: 'none', pspReference: '', outcome: 'internal' });

const documentEntry = (message: Message): LogEntry => ({
  protocol: 'document',
  pspReference: '',
  outcome: message.status === 304 ? 'notModified' : 'ok',
});

export const createApp = (parts: AppParts): Koa => {
  const { serve, documents, observer, config, closing } = parts;
  const answerTo = async (received: Received): Promise<Answer> => {
    try {
      const message = documentMessage(received, documents, () => publicOrigin(received.request, config));
      if (message !== undefined) return { message, entry: documentEntry(message) };
      return await serve(received);
    } catch (thrown) {
      observer.failed(thrown);
      return { message: failure, entry: unknownEntry };
    }
  };

  /** A header that Node refuses to write is our fault, and must not cost the caller an answer. */
  const write = (received: Received, message: Message): number => {
    try {
      return respond(received, message, closing(), config);
    } catch (thrown) {
      observer.failed(thrown);
      if (received.response.headersSent) return 0;
      return respond(received, failure, true, config);
    }
  };

  const app = new Koa({ proxy: false, env: 'production' });
  // Koa would print a stack for a caller who hangs up.
  app.on('error', (thrown: unknown) => observer.hungUp(thrown));
  app.use(async (context) => {
    const { req, res } = context;
    // The answer is written here, whole and once; what Koa would do with a body costs as much as the rest of the shell.
    context.respond = false;
    const startedAt = performance.now();
    const received = new Received(req, res, config);
    parts.received(received);
    observer.begun();
    const { message, entry } = await answerTo(received);
    // The answers of a turn go out together: the first of them wakes whoever reads them, and waking costs the kernel several
    // times as much as writing. Under load a request costs a fifth less for it; a single one waits for some microseconds.
    await endOfTurn();
    const aborted = res.destroyed || req.socket.destroyed || (req.destroyed && !req.complete);
    const bytesOut = aborted ? 0 : write(received, message);
    observer.answered(entry, {
      status: message.status,
      ms: performance.now() - startedAt,
      bytesIn: received.bytesIn,
      bytesOut,
      address: clientAddress(req, config.trustedProxies),
      aborted,
    });
  });
  return app;
};
