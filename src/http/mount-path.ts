/** The path under which another server mounts the gateway, for the addresses in documents. */
import type { IncomingMessage } from 'node:http';

const mountPaths = new WeakMap<IncomingMessage, string>();

/** `path`: like `/services`; empty at the root. */
export function setMountPath(request: IncomingMessage, path: string): void {
  if (path !== '') mountPaths.set(request, path);
}

export function mountPathOf(request: IncomingMessage): string {
  return mountPaths.get(request) ?? '';
}
