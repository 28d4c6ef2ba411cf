/** Mounts a gateway in a Koa application: `triglyph/koa`. */

import type { MountedMiddleware } from '../../http/index.ts';
import type { RunningGateway } from '../app/create-gateway.ts';

export type { MountedContext, MountedMiddleware } from '../../http/index.ts';
export type { RunningGateway } from '../app/create-gateway.ts';

/** Returns a middleware that answers the paths of the gateway and passes on all others. */
export function koaMiddleware(gateway: Pick<RunningGateway, 'koa'>): MountedMiddleware {
  return gateway.koa();
}
