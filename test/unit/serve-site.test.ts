/** Sites on a connection: a long answer to a slow reader adds nothing to its connection. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/app/config.ts';
import { siteListener } from '../../src/http/serve-site.ts';
import type { Site } from '../../src/http/site.ts';
import { ringText } from '../support/fixture.ts';

test('pieces that wait for the reader leave no listener behind', async () => {
  const piece = 'x'.repeat(1_048_576);
  const responses: ServerResponse[] = [];
  const listeners: number[] = [];
  async function* pieces(): AsyncIterable<string> {
    for (let times = 0; times < 20; times++) {
      listeners.push(responses[0]!.listenerCount('close'));
      yield piece;
    }
  }
  const site: Site = {
    owns: () => true,
    answer: async () => ({ status: 200, headers: {}, body: pieces() }),
    close() {},
  };
  const options = readConfig('production', { TRIGLYPH_KEYS: ringText });
  const serve = siteListener({ site, access: { hosts: [] }, options, failed: () => {} });
  const server = createServer((request, response) => {
    responses.push(response);
    serve(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect((await answer.text()).length).toBe(20 * piece.length);
    expect(new Set(listeners)).toEqual(new Set([listeners[0]]));
  } finally {
    server.close();
  }
});
