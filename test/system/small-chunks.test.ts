/** Bodies of requests and of answers in chunks of one byte, many at once. A chunk is counted as one byte, and takes no more memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { listenLocally } from '../support/listen-locally.ts';

const count = 60;
const length = 60_000;
const heapMegabytes = 80;
const chunks = Buffer.from('1\r\nx\r\n'.repeat(length));
const end = '0\r\n\r\n';
const requestHead =
  'POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Returns what the process sends; undefined where it ended without. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const sent = once(child, 'message').then(([message]) => message);
  return await Promise.race([sent, once(child, 'exit').then(() => undefined)]);
}

async function withSmallHeap<T>(parameters: readonly string[], use: (child: ChildProcess) => Promise<T>): Promise<T> {
  const child = fork(join(import.meta.dirname, '../support/small-chunks.ts'), [String(count), ...parameters], {
    execArgv: [`--max-old-space-size=${heapMegabytes}`, '--disable-warning=ExperimentalWarning'],
    silent: true,
  });
  try {
    return await use(child);
  } finally {
    const isRunning = child.exitCode === null && child.signalCode === null;
    child.kill('SIGKILL');
    if (isRunning) await once(child, 'exit');
  }
}

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
    socket.write(requestHead);
    socket.write(chunks);
    socket.write(end);
  });
}

const answersOf = (kind: string) =>
  withSmallHeap([kind], async (child) => {
    const port = Number(await messageOf(child));
    return await Promise.all(Array.from({ length: count }, () => send(port)));
  });

/** No answer ends before all have arrived. */
async function lengthsOf(kind: string): Promise<unknown> {
  const sockets: Socket[] = [];
  let sent = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket.write(chunks, () => {
        sent += 1;
        if (sent === count) for (const each of sockets) each.write(end);
      });
    });
  });
  const port = await listenLocally(server);
  try {
    return await withSmallHeap([kind, `http://127.0.0.1:${port}`], messageOf);
  } finally {
    for (const each of sockets) each.destroy();
    server.close();
  }
}

test('requests: the gateway answers them', async () => {
  const answers = await answersOf('openGateway');
  expect(answers.map((each) => each.includes(`"length":${length}`))).toEqual(Array(count).fill(true));
});

test('requests, the control: the server of Node ends without memory', async () => {
  expect(await answersOf('openPlain')).toEqual(Array(count).fill(''));
});

test('answers: the gateway reads them', async () => {
  expect(await lengthsOf('askByGateway')).toEqual(Array(count).fill(length));
});

test('answers, the control: chunks that are kept as they come end the process', async () => {
  expect(await lengthsOf('askPlainly')).toBeUndefined();
});
