/** Sends a request to an admin port with any headers, Host included, and returns its status. */
import { request } from 'node:http';

export function adminStatus(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { agent: false, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}
