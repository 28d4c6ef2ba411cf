/** Creates the Koa application: its middlewares in the order in which they run. */
import Koa, { type Context } from 'koa';
import type { WireRequest } from '../../core/formats/index.ts';
import type { Answer } from '../../core/gateway/index.ts';
import { type DocumentsOptions, serveDocuments } from '../middleware/documents.ts';
import { type ObservationOptions, observation } from '../middleware/observation.ts';
import { type ResponseOptions, response } from '../middleware/response.ts';
import type { MiddlewareState } from '../middleware/state.ts';
import type { HttpOptions } from '../options.ts';

export interface AppOptions extends ObservationOptions, ResponseOptions, DocumentsOptions {
  /** Never rejects. */
  readonly handle: (request: WireRequest) => Promise<Answer>;
  readonly options: HttpOptions;
}

export function createApp(parts: AppOptions): Koa<MiddlewareState> {
  const app = new App({ proxy: false, env: 'production' });
  app.on('error', (thrown: unknown) => parts.serverLog.requestFailed(thrown));
  app.use(observation(parts));
  app.use(response(parts));
  app.use(serveDocuments(parts));
  app.use(async ({ state }) => {
    state.answer = await parts.handle(state.request);
  });
  return app;
}

class App extends Koa<MiddlewareState> {
  /**
   * Replaces the method of Koa that runs the middlewares. Koa's own adds six listeners to each response and its socket, to
   * report broken connections, which costs a quarter of the HTTP layer. The server reports them, once per connection.
   */
  handleRequest(context: Context, run: (context: Context) => Promise<void>): Promise<void> {
    return run(context).catch((thrown) => context.onerror(thrown));
  }
}
