/** Answers a `Request` of the Fetch standard without a connection, by the listener that answers connections. */
import type { RequestListener } from 'node:http';

const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export async function exchange(listener: RequestListener, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  // Loaded on demand: a gateway that listens on a port needs it never.
  const { default: inject } = await import('light-my-request');
  const answer = await inject(listener as Parameters<typeof inject>[0], {
    method: request.method as 'GET',
    url: pathname + search,
    headers: { host, ...Object.fromEntries(request.headers) },
    ...(request.body !== null && { payload: Buffer.from(await request.arrayBuffer()) }),
  }).catch((cause: unknown) => {
    // As `fetch` does where the connection was closed without a response.
    throw new TypeError('fetch failed', { cause });
  });
  const { statusCode: status, rawPayload } = answer;
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(bodiless.has(status) ? null : new Uint8Array(rawPayload), { status, headers });
}
