/** A request to the admin port, with a body of limited size. */

import type { IncomingMessage } from 'node:http';
import { readAtMost } from '../core/lib/index.ts';

export type AdminRequest = ReturnType<typeof readAdminRequest>;

export function readAdminRequest(request: IncomingMessage) {
  return {
    method: request.method ?? '',
    /** Without the query. */
    path: (request.url ?? '').split('?')[0] ?? '',
    headers: request.headers,
    /** Resolves with undefined for a body that is too large. */
    // Ending the iteration must not close the connection: the refusal of the body needs it.
    body: async (): Promise<string | undefined> =>
      (await readAtMost(request.iterator({ destroyOnReturn: false }), bodyBytesMax))?.toString(),
  };
}

const bodyBytesMax = 65_536;
