/** The state that the middlewares of one request share. */
import type Koa from 'koa';
import type { Answer } from '../../core/gateway/index.ts';
import type { ReceivedRequest } from '../received-request.ts';

export interface MiddlewareState {
  /** Set by the observation middleware, which is the first. */
  request: ReceivedRequest;
  /** Set by the middleware that answers the request: documents or gateway. */
  answer?: Answer;
  /** Set by the response middleware. */
  sent?: SentResponse;
}

/** An answer as it was written. */
export interface WrittenAnswer {
  readonly answer: Answer;
  readonly status: number;
  readonly bytesOut: number;
}

interface SentResponse extends WrittenAnswer {
  readonly requestId: string;
  /** The caller closed the connection before the response. */
  readonly aborted: boolean;
}

export type Middleware = Koa.Middleware<MiddlewareState>;
