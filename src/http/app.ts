/** Creates the Koa application: its middlewares in the order in which they run. */
import Koa from 'koa';
import type { WireRequest } from '../formats/wire.ts';
import type { Answer } from '../gateway/answer.ts';
import { type DocumentsOptions, serveDocuments } from './middleware/documents.ts';
import { type ObservationOptions, observation } from './middleware/observation.ts';
import { type ResponseOptions, response } from './middleware/response.ts';
import type { RequestState } from './middleware/state.ts';
import type { HttpOptions } from './options.ts';

export interface AppOptions extends ObservationOptions, ResponseOptions, DocumentsOptions {
  /** Never rejects. */
  readonly handle: (request: WireRequest) => Promise<Answer>;
  readonly options: HttpOptions;
}

export function createApp(parts: AppOptions): Koa<RequestState> {
  const app = new Koa<RequestState>({ proxy: false, env: 'production' });
  // By default Koa prints a stack trace for each connection that a caller breaks.
  app.on('error', (thrown: unknown) => parts.observer.connectionBroken(thrown));
  app.use(observation(parts));
  app.use(response(parts));
  app.use(serveDocuments(parts));
  app.use(async ({ state }) => {
    state.answer = await parts.handle(state.request);
  });
  return app;
}
