/** Mounts a gateway in a Koa application: `triglyph/koa`. */
import type { Middleware } from 'koa';
import type { RunningGateway } from '../app/create-gateway.ts';

/** Returns a middleware that answers the paths of the gateway and passes on all others. */
export function koaMiddleware(gateway: Pick<RunningGateway, 'koa'>): Middleware {
  const middleware = gateway.koa();
  return (context, next) => middleware(context, next);
}
