/** Starts a depot, the SOAP server of a stack, and `triglyph serve --wsdl` in front of it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import type { ServerStack } from './depot-stacks.ts';

const execute = promisify(execFile);
const depots = join(import.meta.dirname, 'servers/depot');

export interface Depot {
  /** The address for SOAP callers at the gateway, below which are those of JSON and FORM. */
  readonly address: string;
  stop(): Promise<void>;
}

/** `folder`: is created, and keeps what the stack builds. Rejects with the output of a server that does not start. */
export async function startDepot(
  { name, prepare, command, wsdl }: ServerStack,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Depot> {
  const built = join(folder, 'server');
  mkdirSync(built, { recursive: true });
  const port = await freePort();
  const env = {
    ...process.env,
    ...variables,
    NODE: process.execPath,
    PORT: String(port),
    SERVER: join(depots, name),
    DEPOT: join(depots, 'depot.wsdl'),
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
    const isFile = !wsdl.startsWith('/');
    await until(
      () => output,
      async () => child.exitCode !== null || (isFile ? accepts(port) : (await fetch(origin + wsdl)).ok),
    );
    const location = isFile ? join(built, wsdl) : origin + wsdl;
    const gateway = await startServer('serve', folder, {}, { parameters: ['--wsdl', location, '--reads', 'get*'] });
    const page = await (await fetch(gateway.callers, { headers: { accept: 'text/html' } })).text();
    const [, address = ''] = /href="([^"?]*)\?wsdl"/.exec(page) ?? [];
    return {
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
