/** The HTTP servers: Koa middlewares, reading of bodies, the log and metrics. */

export * from './admin.ts';
export type { AdminAccess } from './admin-access.ts';
export * from './admin-page.ts';
export type { AdminRequest } from './admin-request.ts';
export * from './exchange.ts';
export * from './line-writer.ts';
export { type Log, type LogLevel, logFailure, openLog } from './log.ts';
export * from './log-request.ts';
export type { CollectionFailed, ObservedState } from './metrics/gauges.ts';
export * from './metrics/metrics.ts';
export * from './metrics/no-metrics.ts';
export type { Build } from './metrics/process.ts';
export { createMetricsObserver, type KnownNames } from './metrics/requests.ts';
export type { ShadowMetrics } from './metrics/shadows.ts';
export type { UpstreamMetrics } from './metrics/upstreams.ts';
export * from './metrics/workers.ts';
export {
  createHandler,
  createMiddleware,
  type MountedContext,
  type MountedMiddleware,
  type RequestHandler,
} from './mount.ts';
export { isOfOtherSite } from './page-request.ts';
export { maskRequestId } from './request-id.ts';
export type { SiteServerOptions } from './serve-site.ts';
export { createServerLog } from './server-log.ts';
export type * from './site.ts';
export { checkTls, fixedTls, type TlsOptions, type TlsSource } from './tls.ts';
