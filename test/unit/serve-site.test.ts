/** Sites on a connection: a long answer to a slow reader adds nothing to its connection, and a body is asked for once. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { openAdmin } from '../../src/http/admin.ts';
import { jsonPage } from '../../src/http/admin-page.ts';
import { siteListener } from '../../src/http/serve-site.ts';
import type { Site } from '../../src/http/site.ts';
import { ringText } from '../support/fixture.ts';
import { readConfig } from '../support/services.ts';
import { statuses } from '../support/shell.ts';

const options = readConfig('production', { TRIGLYPH_KEYS: ringText });

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

test.each([
  ['/site', [100, 200], '"ab"'],
  ['/extension', [100, 200], '"ab"'],
  // A body that is not read is not asked for.
  ['/site/none', [200], '"none"'],
])('on the admin port, %s is answered with %j to Expect: 100-continue', async (path, expected, body) => {
  const site: Site = {
    owns: (owned) => owned.startsWith('/site'),
    answer: async (request) => ({
      status: 200,
      headers: {},
      body: JSON.stringify(request.path === '/site' ? String(await request.body()) : 'none'),
    }),
    close() {},
  };
  const admin = await openAdmin({
    host: '127.0.0.1',
    port: 0,
    registry: { contentType: 'text/plain; version=0.0.4; charset=utf-8', metrics: async () => '' },
    readiness: async () => ({ ready: true, readyForReads: true, draining: false, probes: {} }),
    extension: async (request) => jsonPage(200, [await request.body()]),
    site: { site, options, failed: () => {} },
  });
  try {
    const socket = connect(admin.port, '127.0.0.1');
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', 'Expect: 100-continue', 'Connection: close', 'Content-Length: 2'];
    socket.write(`${head.join('\r\n')}\r\n\r\nab`);
    const received = await text(socket);
    expect(statuses(received)).toEqual(expected);
    expect(received).toContain(body);
  } finally {
    await admin.close();
  }
});
