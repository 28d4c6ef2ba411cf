/** Limits pipelining: handles 16 requests of a connection at a time, queues 64, and drops the rest and what follows a wrong head. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { holdReading, releaseReading } from './hold-reading.ts';
import { inspectRequestLine, isFollowedAfterUpgrade } from './request-line.ts';

/** Requests of one connection that are handled at the same time. */
export const pipelinedMax = 16;

/**
 * One read of a socket can hold a thousand requests, and Node parses them all. This many wait. Later ones are dropped,
 * and the connection ends with the answer to the last one that waited (RFC 9112, section 9.3.2).
 */
export const waitingMax = 64;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

interface Pipeline {
  handled: number;
  readonly waiting: Exchange[];
  /** What arrives now is dropped. */
  isCut: boolean;
  /** Where the line of the latest request ended in its chunk. */
  lineEnd: number;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/**
 * Drops all requests behind the one that is handled now. Where its head is wrong, they may be part of its body in the eyes of a proxy
 * (request smuggling).
 */
export function endPipeline(socket: Duplex): void {
  const pipeline = pipelines.get(socket);
  if (pipeline === undefined) return;
  pipeline.isCut = true;
  pipeline.waiting.length = 0;
}

export function limitPipeline(handle: RequestListener): RequestListener {
  const start = (pipeline: Pipeline, [request, response]: Exchange): void => {
    pipeline.handled += 1;
    response.once('close', () => {
      pipeline.handled -= 1;
      if (pipeline.waiting.length > 0) continueWith(pipeline, request.socket);
    });
    handle(request, response);
  };
  const continueWith = (pipeline: Pipeline, socket: Duplex): void => {
    const next = pipeline.waiting.shift()!;
    if (socket.destroyed) pipeline.waiting.length = 0;
    else start(pipeline, next);
    if (pipeline.waiting.length === 0 && !pipeline.isCut) releaseReading(socket);
  };
  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      pipeline = { handled: 0, waiting: [], isCut: false, lineEnd: 0 };
      pipelines.set(socket, pipeline);
    }
    const { waiting } = pipeline;
    if (pipeline.isCut) return;
    const isBehindAnother = pipeline.handled > 0 || waiting.length > 0;
    pipeline.lineEnd = inspectRequestLine(request, isBehindAnother ? pipeline.lineEnd : 0);
    if (isFollowedAfterUpgrade(request)) response.shouldKeepAlive = false;
    if (pipeline.handled < pipelinedMax && waiting.length === 0) {
      start(pipeline, [request, response]);
      return;
    }
    if (waiting.length === waitingMax) {
      pipeline.isCut = true;
      waiting.at(-1)![1].shouldKeepAlive = false;
      return;
    }
    if (waiting.length === 0) holdReading(socket);
    waiting.push([request, response]);
  };
}
