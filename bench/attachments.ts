/**
 * Measures the memory that a request with bytes needs, in each direction: `npx node bench/attachments.ts [BYTES]`. A gateway of its own process
 * has the request of a caller, forwards it to a server that echoes it, and answers. Printed: its largest resident size beyond that before,
 * in MiB, for one request alone, and for eight at once.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { binary, defineProblems, object, operation, optional, service } from '../src/program/api/contract.ts';
import { createGateway } from '../src/program/api/index.ts';
import { forgetPeakMemory, memoryBytes } from './server.ts';

const bytesMax = 67_108_864;
const data = optional(binary({ max: bytesMax, example: 'AA==' }), '');
const echo = operation({
  ...{ name: 'echo', role: 'files', problems: [], doc: '', effect: 'writes' },
  input: object('EchoRequest', { data }),
  output: object('EchoResult', { data }),
});
const contract = service({
  ...{ name: 'Files', version: 1, doc: '', roles: ['files'], answers: { from: 1, to: 1 }, address: '/files' },
  namespaces: { own: 'f', uris: { f: 'urn:f' } },
  soapStyle: 'wrapped',
  problems: defineProblems({}),
  operations: [echo],
});

if (process.argv[2] === 'gateway') await serve(process.argv[3] ?? '', process.argv[4] === 'mtom');
else await measure(Number(process.argv[2] ?? 10_485_760));

async function serve(url: string, mtom: boolean): Promise<void> {
  const gateway = await createGateway({
    services: [contract.answeredBy('echo')],
    upstreams: {
      echo: {
        url,
        format: 'soap11',
        credentials: 'forward',
        singleAddress: true,
        mtom,
        responseBytesMax: 2 * bytesMax,
      },
    },
    settings: { LOG_LEVEL: 'silent', BODY_BYTES_MAX: '134217728' },
  });
  const { origin } = await gateway.listen();
  process.send?.(origin);
}

async function measure(size: number): Promise<void> {
  const upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const [start, end] = [Buffer.from(':echo '), Buffer.from('</ns1:echo>')];
    const answered = replaced(replaced(body, start, ':echoResponse '), end, '</ns1:echoResponse>');
    response.writeHead(200, { 'Content-Type': request.headers['content-type'] }).end(answered);
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  for (const to of ['mtom', 'base64'])
    for (const from of ['mtom', 'base64', 'json'])
      for (const count of [1, 8]) {
        const child = fork(import.meta.filename, ['gateway', `http://127.0.0.1:${port}/`, to]);
        const [origin] = (await once(child, 'message')) as [string];
        const call = () => send(origin, from, size);
        for (let at = 0; at < 5; at++) await send(origin, from, 1_000);
        const before = peakMiB(child);
        const started = performance.now();
        await Promise.all(Array.from({ length: count }, call));
        const ms = Math.round(performance.now() - started);
        process.stdout.write(
          `${from} to ${to}, ${count} at once: ${Math.round(peakMiB(child) - before)} MiB, ${ms} ms\n`,
        );
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
  upstream.close();
}

function replaced(bytes: Buffer, found: Buffer, text: string): Buffer {
  const at = bytes.indexOf(found);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text), bytes.subarray(at + found.length)]);
}

async function send(origin: string, form: string, size: number): Promise<void> {
  const bytes = Buffer.alloc(size, 'attachment');
  const envelope = (content: string) =>
    `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><echo xmlns="urn:f"><data>${content}</data></echo></s:Body></s:Envelope>`;
  const include = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a"/>';
  const root = `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\n\r\n${envelope(include)}\r\n--b\r\nContent-ID: <a>\r\n\r\n`;
  const calls: Readonly<Record<string, readonly [string, string, string | Buffer]>> = {
    mtom: [
      '/files/v1',
      'multipart/related; type="application/xop+xml"; boundary=b',
      Buffer.concat([Buffer.from(root), bytes, Buffer.from('\r\n--b--')]),
    ],
    base64: ['/files/v1', 'text/xml', envelope(bytes.toString('base64'))],
    json: ['/files/v1/echo', 'application/json', JSON.stringify({ data: bytes.toString('base64') })],
  };
  const [path, type, body] = calls[form]!;
  const response = await fetch(origin + path, { method: 'POST', headers: { 'content-type': type }, body });
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== 200 || byteLength < size) throw new Error(`${response.status} with ${byteLength} bytes`);
}

/** The largest resident size so far; it begins anew with each call. */
function peakMiB({ pid = 0 }: ChildProcess): number {
  const bytes = memoryBytes(pid, 'VmHWM');
  forgetPeakMemory(pid);
  return bytes / 2 ** 20;
}
