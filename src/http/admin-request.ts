/** A request to the admin port, with a body of limited size. */
import type { IncomingMessage } from 'node:http';

export type AdminRequest = ReturnType<typeof readAdminRequest>;

export function readAdminRequest(request: IncomingMessage) {
  return {
    method: request.method ?? '',
    /** Without the query. */
    path: (request.url ?? '').split('?')[0] ?? '',
    headers: request.headers,
    /** Resolves with undefined for a body that is too large. */
    body: (): Promise<string | undefined> => readBody(request),
  };
}

const bodyBytesMax = 65_536;

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Ending the loop must not close the connection: the refusal of the body needs it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > bodyBytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
