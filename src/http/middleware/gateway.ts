/** Middleware: hands the request to the gateway. It is the last one. */
import type { WireRequest } from '../../formats/wire.ts';
import type { Answer } from '../../gateway/answer.ts';
import type { Middleware } from './state.ts';

/** Handles a request; never rejects. */
export type HandleRequest = (request: WireRequest) => Promise<Answer>;

export function gateway(handle: HandleRequest): Middleware {
  return async ({ state }) => {
    state.answer = await handle(state.request);
  };
}
