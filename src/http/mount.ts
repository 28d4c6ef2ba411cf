/** Answers requests that another server has received, or that a program hands over without a connection. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** As Express calls a handler: a request that is not for the gateway goes to `next`. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (thrown?: unknown) => void,
) => void;

/** The part of a Koa context that the middleware uses. */
export interface MountedContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly originalUrl: string;
  respond?: boolean | undefined;
}

/** A Koa middleware, without the types of Koa. */
export type MountedMiddleware = (context: MountedContext, next: () => Promise<unknown>) => Promise<void>;

interface MountOptions {
  /** Resolves with the listener of the gateway. */
  readonly listener: () => Promise<RequestListener>;
  /** Whether a path, without query, is for the gateway. */
  readonly owns: (path: string) => boolean;
}

/** For the `(request, response)` of node:http, and for Express and others that hand over `next`. */
export function createHandler({ listener, owns }: MountOptions): RequestHandler {
  const loading = listener();
  return async (request, response, next) => {
    if (next !== undefined && !owns(pathOf(request))) return next();
    setMountPath(request, mountPath(originalUrlOf(request), request.url));
    (await loading)(request, response);
  };
}

/** Koa's `koa-mount` changes `req.url`; without it the gateway answers at its own paths. */
export function createMiddleware({ listener, owns }: MountOptions): MountedMiddleware {
  const loading = listener();
  return async (context, next) => {
    const { req, res } = context;
    if (!owns(pathOf(req))) {
      await next();
      return;
    }
    setMountPath(req, mountPath(context.originalUrl, req.url));
    context.respond = false;
    const { promise, resolve } = Promise.withResolvers<void>();
    res.once('close', resolve);
    (await loading)(req, res);
    await promise;
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** Express and connect keep the URL as sent. */
function originalUrlOf(request: IncomingMessage): string {
  const { originalUrl } = request as IncomingMessage & { readonly originalUrl?: unknown };
  return typeof originalUrl === 'string' ? originalUrl : (request.url ?? '/');
}

/** What stands before the URL in the original one. */
function mountPath(original: string, url = '/'): string {
  return original.endsWith(url) ? original.slice(0, original.length - url.length) : '';
}

const mountPaths = new WeakMap<IncomingMessage, string>();

/** `path`: like `/services`; empty at the root. */
function setMountPath(request: IncomingMessage, path: string): void {
  if (path !== '') mountPaths.set(request, path);
}

export function mountPathOf(request: IncomingMessage): string {
  return mountPaths.get(request) ?? '';
}
