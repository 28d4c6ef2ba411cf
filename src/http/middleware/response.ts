/** Middleware: writes the answer of the middlewares after it, or an internal problem where that fails. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { AnswerPace } from '../../access/index.ts';
import { type Problem, problems } from '../../core/contract/index.ts';
import { type Message, type StreamedBody, sentBody, streamedBody } from '../../core/formats/index.ts';
import type { Answer, LogEntry } from '../../core/gateway/index.ts';
import { clientAddress, isFromProxy } from '../forwarded.ts';
import { holdReadingFor } from '../hold-reading.ts';
import type { HttpOptions } from '../options.ts';
import type { ReceivedRequest } from '../received-request.ts';
import type { ServerLog } from '../server-log.ts';
import { streamResponse, writeResponse } from '../write-response.ts';
import type { Middleware, WrittenAnswer } from './state.ts';

export interface ResponseOptions {
  readonly serverLog: Pick<ServerLog, 'requestFailed'>;
  readonly options: Pick<HttpOptions, 'bodyBytesMax' | 'writeMsMax' | 'trustedProxies'>;
  /** True while the server stops: a response then ends its connection. */
  readonly closing: () => boolean;
  /** The answer where one could not be written, in the same format. Undefined where that is not known: then a plain 500 is written. */
  readonly encodeFailure?: ((answer: Answer, thrown: unknown) => Answer | undefined) | undefined;
  /** How many milliseconds an answer without a credential waits. Absent where none does. */
  readonly pace?: AnswerPace | undefined;
}

/** An error outside the gateway: neither format nor reason is known. */
const failure: Message = Object.freeze({
  status: 500,
  contentType: 'text/plain; charset=utf-8',
  headers: Object.freeze({}),
  body: 'Internal Server Error',
});
const failureEntry: LogEntry = Object.freeze({ protocol: 'none', requestReference: '', outcome: 'internal' });
const failureAnswer: Answer = Object.freeze({ message: failure, entry: failureEntry });

export function response({ serverLog, options, closing, pace, encodeFailure }: ResponseOptions): Middleware {
  const write = (
    received: ReceivedRequest,
    answer: Answer,
    bytesOut: number,
    requestId: string,
    isFailure = false,
  ): WrittenAnswer => {
    const { message } = answer;
    writeResponse(received, message, { bytesOut, closing: closing() || isFailure, requestId, limits: options });
    return { answer, status: message.status, bytesOut };
  };

  const stream = async (
    received: ReceivedRequest,
    answer: Answer,
    body: StreamedBody,
    requestId: string,
  ): Promise<WrittenAnswer> => {
    const { message } = answer;
    const bytesOut = await streamResponse(received, message, body, { closing: closing(), requestId, limits: options });
    return { answer, status: message.status, bytesOut };
  };

  /** Node refuses to write some headers. The gateway caused that error, so the caller still gets a response. */
  const writeInstead = (
    received: ReceivedRequest,
    answer: Answer,
    thrown: unknown,
    requestId: string,
  ): WrittenAnswer => {
    serverLog.requestFailed(thrown);
    const encoders = [() => encodeFailure?.(answer, thrown), () => failureAnswer];
    for (const encode of encoders) {
      // What is written now would be read as the rest of the first response.
      if (received.response.headersSent) break;
      // Node keeps the phrase of the first status.
      received.response.statusMessage = '';
      try {
        const instead = encode();
        if (instead !== undefined)
          return write(received, instead, Buffer.byteLength(sentBody(instead.message)), requestId, true);
      } catch (again) {
        serverLog.requestFailed(again);
      }
    }
    received.response.destroy();
    return { answer, status: answer.message.status, bytesOut: 0 };
  };

  return async ({ state, req, res }, next) => {
    try {
      await next();
    } catch (thrown) {
      serverLog.requestFailed(thrown);
      state.answer = failureAnswer;
    }
    const answer = state.answer ?? failureAnswer;
    const { message, entry, dropsConnection } = answer;
    if (dropsConnection) res.destroy();
    const requestId = entry.requestId ?? state.request.requestId ?? randomUUID();
    if (pace !== undefined && !closing() && isUnauthenticated(entry)) {
      const ms = pace(clientAddress(req, options.trustedProxies));
      if (ms > 0) await setTimeout(ms);
    }
    // A printed text is thousands of joined pieces. Counting its bytes makes it one, while those are still in the cache.
    const streamed = state.request.hasLargeValues ? streamedBody(message) : undefined;
    const bytesPrinted = streamed === undefined ? Buffer.byteLength(sentBody(message)) : 0;
    // All responses of one turn of the event loop are written together. The first one wakes the reading process, which
    // costs the kernel several times as much as writing. Under load this saves a fifth of the CPU time of a request.
    await endOfTurn();
    const aborted = res.destroyed || req.socket.destroyed || (req.destroyed && !req.complete);
    let written: WrittenAnswer = { answer, status: message.status, bytesOut: 0 };
    if (!aborted)
      try {
        written =
          streamed === undefined
            ? write(state.request, answer, bytesPrinted, requestId)
            : await stream(state.request, answer, streamed, requestId);
      } catch (thrown) {
        written = writeInstead(state.request, answer, thrown, requestId);
      }
    const isCut = streamed !== undefined && !res.writableFinished;
    state.sent = { ...written, requestId, aborted: aborted || isCut };
    if (
      entry.problem !== undefined &&
      isOverLimit(entry.problem) &&
      !closing() &&
      !isFromProxy(req, options.trustedProxies)
    )
      holdReadingFor(req.socket, holdMs);
  };
}

/**
 * What a refused connection sends next is read after this time, as `Retry-After` asks for at least. Otherwise callers that repeat at
 * once would cost more than they did before they were refused. The connection of a proxy is that of other callers, too.
 */
const holdMs = 1_000;

function isOverLimit({ kind }: Problem): boolean {
  return kind === problems.tooManyRequests || kind === problems.overloaded;
}

/** An upstream may refuse a credential, too. */
function isUnauthenticated({ credential, problem }: LogEntry): boolean {
  return credential === undefined || problem?.status === 401;
}

let ending: Promise<void> | undefined;

/** Resolves after all input of this turn of the event loop has been handled. All callers in one turn share the promise. */
function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
