/** Starts a server of a stack, and `triglyph serve` in front of it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/listen-locally.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import type { Stack } from './stack.ts';

const execute = promisify(execFile);

/** A server that a stack builds. */
export interface ServerStack {
  /** Also its folder in `servers/`, below that of its service. */
  readonly name: string;
  readonly title: string;
  readonly source: Stack['source'];
  /** Builds the server in an empty folder. `$SERVER` is the folder of its sources. */
  readonly prepare?: string;
  /** Starts the server there, at `$PORT`. `$DOCUMENT` is the document of the service, for stacks that start from one. */
  readonly command: string;
  /** The address of its document without the origin, or a file in the folder. */
  readonly document: string;
}

/** A service that stacks build, and how it is put behind the gateway. */
export interface LiveService {
  /** Its folder in `servers/`, and its document there. */
  readonly name: string;
  readonly document: string;
  /** The parameters of `triglyph serve` before the location of the document, and those after it. */
  readonly option: string;
  readonly parameters: readonly string[];
}

export interface LiveServer {
  /** Of the gateway. */
  readonly callers: string;
  /** The address for SOAP callers at the gateway, below which are those of JSON and FORM by name. */
  readonly address: string;
  stop(): Promise<void>;
}

/** `folder`: is created, and holds what the stack builds. Rejects with the output of a server that does not start. */
export async function startLive(
  service: LiveService,
  { name, prepare, command, document }: ServerStack,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<LiveServer> {
  const built = join(folder, 'server');
  mkdirSync(built, { recursive: true });
  const port = await freePort();
  const servers = join(import.meta.dirname, 'servers', service.name);
  const env = {
    ...process.env,
    ...variables,
    NODE: process.execPath,
    PORT: String(port),
    SERVER: join(servers, name),
    DOCUMENT: join(servers, service.document),
  };
  if (prepare !== undefined) await execute('sh', ['-e', '-c', prepare], { cwd: built, env, maxBuffer: 1 << 26 });
  const child = spawn('sh', ['-c', command], { cwd: built, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const stopServer = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    const origin = `http://127.0.0.1:${port}`;
    const isFile = !document.startsWith('/');
    await until(
      () => output,
      async () => child.exitCode !== null || (isFile ? accepts(port) : (await fetch(origin + document)).ok),
    );
    const location = isFile ? join(built, document) : origin + document;
    const parameters = [service.option, location, ...service.parameters];
    const gateway = await startServer('serve', folder, {}, { parameters });
    const page = await (await fetch(gateway.callers, { headers: { accept: 'text/html' } })).text();
    const [, address = ''] = /href="([^"?]*)\?wsdl"/.exec(page) ?? [];
    return {
      callers: gateway.callers,
      address,
      async stop() {
        await gateway.stop();
        await stopServer();
      },
    };
  } catch (thrown) {
    await stopServer();
    throw thrown;
  }
}

/** Whether something listens there. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  return true;
}
