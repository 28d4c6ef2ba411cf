/** Callers send bodies in chunks of one byte, which wait to be read. Each chunk is counted as one byte, and takes no more memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const callers = 60;
const length = 60_000;
const heapMegabytes = 80;
const head =
  'POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
const body = Buffer.from(`${'1\r\nx\r\n'.repeat(length)}0\r\n\r\n`);

/** Returns what the caller received; an empty text where the server ended before. */
function send(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
    socket.write(head);
    socket.write(body);
  });
}

async function answersOf(kind: 'gateway' | 'plain'): Promise<readonly string[]> {
  const server = fork(join(import.meta.dirname, '../support/unread-bodies.ts'), [String(callers), kind], {
    execArgv: [`--max-old-space-size=${heapMegabytes}`, '--disable-warning=ExperimentalWarning'],
    silent: true,
  });
  try {
    const [port] = (await once(server, 'message')) as [number];
    return await Promise.all(Array.from({ length: callers }, () => send(port)));
  } finally {
    const isRunning = server.exitCode === null && server.signalCode === null;
    server.kill('SIGKILL');
    if (isRunning) await once(server, 'exit');
  }
}

test('the gateway answers them with a small heap', async () => {
  const answers = await answersOf('gateway');
  expect(answers.map((each) => each.includes(`"length":${length}`))).toEqual(Array(callers).fill(true));
});

test('the control: the server of Node ends without memory', async () => {
  expect(await answersOf('plain')).toEqual(Array(callers).fill(''));
});
