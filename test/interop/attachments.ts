/** Bytes as parts beside the envelope: callers and servers of other stacks, with the gateway between each two of them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';
import { freePort } from '../support/listen-locally.ts';
import { until } from '../support/until.ts';
import type { Stack } from './stack.ts';
import { jaxwsClasses, jaxwsSource } from './stacks.ts';

const execute = promisify(execFile);
const sources = join(import.meta.dirname, 'attachments');
const wsdl = join(sources, 'vault.wsdl');

interface Program {
  readonly name: string;
  readonly title: string;
  readonly source: Stack['source'];
  /** Builds the program in an empty folder. `$SOURCES` has its sources, `$WSDL` is the file that describes the server. */
  readonly prepare?: string;
  readonly command: string;
}

/** A server: its command starts it at `$PORT`. */
interface VaultServer extends Program {
  /** What the import has said of it is overridden. */
  readonly mtom?: boolean;
}

/** A caller: its command calls `$URL` with `$BYTES` bytes, and prints what came back. */
interface VaultCaller extends Program {
  readonly returned: 'part' | 'text';
}

const gsoap = { kind: 'Debian', packages: ['gsoap', 'libgsoap-dev', 'gcc', 'libc6-dev'], versionOf: 'gsoap' } as const;
const zeep = {
  kind: 'Debian',
  packages: ['python3-zeep', 'python3-requests-toolbelt'],
  versionOf: 'python3-zeep',
} as const;
const php = { kind: 'Debian', packages: ['php-cli', 'php-soap'], versionOf: 'php8.2-soap' } as const;
const soap = { kind: 'devDependency', module: 'soap' } as const;

const gsoapServer: Program = {
  name: 'gsoap',
  title: 'gSOAP',
  source: gsoap,
  prepare:
    'wsdl2h -c -t /usr/share/gsoap/WS/typemap.dat -o vault.h "$WSDL"\n' +
    'soapcpp2 -c -S -L -x -w -I/usr/share/gsoap/import:/usr/share/gsoap vault.h\n' +
    'gcc -w -I. -o server "$SOURCES/vault-server.c" soapC.c soapServer.c -lgsoap',
  command: 'exec ./server $PORT',
};
const gsoapCaller: Program = {
  name: 'gsoap',
  title: 'gSOAP',
  source: gsoap,
  prepare:
    'wsdl2h -c -t /usr/share/gsoap/WS/typemap.dat -o vault.h "$WSDL"\n' +
    'soapcpp2 -c -C -L -x -w -I/usr/share/gsoap/import:/usr/share/gsoap vault.h\n' +
    'gcc -w -I. -o client "$SOURCES/vault-client.c" soapC.c soapClient.c -lgsoap',
  command: './client $URL $BYTES',
};

const servers: readonly VaultServer[] = [
  gsoapServer,
  { ...gsoapServer, title: 'gSOAP, which answers in base64', command: 'exec ./server $PORT text' },
  { ...gsoapServer, title: 'gSOAP, with `mtom: false`', mtom: false },
  {
    name: 'jaxws',
    title: 'JAX-WS RI',
    source: jaxwsSource,
    prepare: `${jaxwsClasses}\njavac -nowarn -cp "$CP" -d . "$SOURCES/VaultServer.java"`,
    command: `${jaxwsClasses}; exec java -cp ".:$CP" VaultServer http://127.0.0.1:$PORT/`,
  },
];

const callers: readonly VaultCaller[] = [
  { ...gsoapCaller, title: 'gSOAP, MTOM', returned: 'part' },
  { ...gsoapCaller, title: 'gSOAP, base64', command: './client $URL $BYTES text', returned: 'text' },
  {
    name: 'jaxws',
    title: 'JAX-WS RI, by the policy of the WSDL',
    source: jaxwsSource,
    prepare:
      `${jaxwsClasses}\nmkdir src\nwsimport -quiet -keep -Xnocompile -d . -s src -p vault "$WSDL"\n` +
      'javac -encoding UTF-8 -nowarn -cp "$CP" -d . "$SOURCES/VaultClient.java" $(find src -name "*.java")',
    command: `${jaxwsClasses}; java -cp ".:$CP" VaultClient $URL $BYTES`,
    returned: 'part',
  },
  {
    name: 'node',
    title: 'soap (node-soap), MTOM',
    source: soap,
    command: '"$NODE" "$SOURCES/vault-client.mjs" $URL $BYTES',
    returned: 'part',
  },
  {
    name: 'zeep',
    title: 'zeep, with Accept',
    source: zeep,
    command: '/usr/bin/python3 "$SOURCES/vault_client.py" $URL $BYTES',
    returned: 'part',
  },
  {
    name: 'php',
    title: 'PHP SoapClient',
    source: php,
    command: 'php "$SOURCES/vault-client.php" $URL $BYTES',
    returned: 'text',
  },
];

/** What all of them need. */
export const vaultSources: readonly Stack['source'][] = [...servers, ...callers].map(({ source }) => source);

export interface VaultOutcome {
  readonly title: string;
  /** What was printed instead of what should be. */
  readonly difference: string | undefined;
}

/** zeep reads no text of more than 10 million characters. */
const sizes = [1, 1_000_000, 7_000_000] as const;

/** Calls each server by each caller with three sizes, through the gateway. `folder`: for what they build. */
export async function runVaults(folder: string): Promise<readonly VaultOutcome[]> {
  const outcomes: VaultOutcome[] = [];
  for (const [at, server] of servers.entries()) {
    const title = (caller: string) => `bytes from ${caller} to ${server.title}`;
    try {
      const vault = await startVault(server, join(folder, `vault-${at}`));
      try {
        for (const caller of callers) {
          const built = join(folder, `vault-caller-${caller.name}`);
          const difference = await differenceOf(caller, server, vault.url, built);
          outcomes.push({ title: title(caller.title), difference });
        }
        outcomes.push({ title: title('a caller of JSON'), difference: await differenceInJson(server, vault.url) });
      } finally {
        await vault.stop();
      }
    } catch (thrown) {
      outcomes.push({ title: title('any caller'), difference: textOf(thrown) });
    }
  }
  return outcomes;
}

async function startVault(server: VaultServer, folder: string) {
  const port = await freePort();
  const env = { PORT: String(port), WSDL: wsdl };
  await prepare(server, folder, env);
  const child = spawn('sh', ['-c', server.command], { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const stopServer = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await until('the server', () => accepts(port));
    const gateway = await openGateway(server, port);
    const { origin } = await gateway.listen();
    return {
      url: `${origin}/vault/v1`,
      async stop() {
        await gateway.close();
        await stopServer();
      },
    };
  } catch (thrown) {
    await stopServer();
    throw thrown;
  }
}

async function openGateway({ mtom }: VaultServer, port: number): Promise<RunningGateway> {
  const { services } = await importWsdl(wsdl, { allowNetwork: false });
  const { service } = services[0]!;
  return createGateway({
    services: [declare({ ...service, operations: [...service.operations.values()] }).answeredBy('vault')],
    upstreams: {
      vault: {
        url: `http://127.0.0.1:${port}/`,
        format: 'soap11',
        credentials: 'forward',
        singleAddress: true,
        ...(mtom !== undefined && { mtom }),
      },
    },
    settings: { LOG_LEVEL: 'silent', BODY_BYTES_MAX: '20000000' },
  });
}

/** The program is built by the WSDL of the gateway, which is the same for each server. */
async function differenceOf(caller: VaultCaller, { mtom = true }: VaultServer, url: string, folder: string) {
  try {
    if (!existsSync(folder)) {
      mkdirSync(folder);
      const document = join(folder, 'gateway.wsdl');
      writeFileSync(document, await (await fetch(`${url}?wsdl`)).text());
      await prepare(caller, folder, { WSDL: document });
    }
    for (const size of sizes) {
      const env = { ...process.env, NODE: process.execPath, SOURCES: sources, URL: url, BYTES: String(size) };
      const { stdout } = await execute('sh', ['-c', caller.command], { cwd: folder, env, maxBuffer: 1 << 26 });
      const expected = `size=${size} attached=${Number(mtom)} returned=${caller.returned} same=1`;
      if (stdout.trim() !== expected) return `${stdout.trim()}\ninstead of\n${expected}`;
    }
    return undefined;
  } catch (thrown) {
    return textOf(thrown);
  }
}

async function differenceInJson({ mtom = true }: VaultServer, url: string): Promise<string | undefined> {
  for (const size of sizes) {
    const Data = Buffer.alloc(size, 'vault').toString('base64');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ Name: 'from JSON', Data });
    const response = await fetch(`${url}/Store`, { method: 'POST', headers, body });
    const text = await response.text();
    const expected = JSON.stringify({ Size: size, WasAttached: mtom, Data });
    if (text !== expected) return `${text.slice(0, 500)}\ninstead of\n${expected.slice(0, 500)}`;
  }
  return undefined;
}

async function prepare({ prepare: script }: Program, folder: string, variables: Readonly<Record<string, string>>) {
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, ...variables, SOURCES: sources };
  if (script !== undefined) await execute('sh', ['-e', '-c', script], { cwd: folder, env, maxBuffer: 1 << 26 });
}

function textOf(thrown: unknown): string {
  const { stderr = '', stdout = '' } = Object(thrown) as { readonly stderr?: string; readonly stdout?: string };
  return `${String(thrown)}\n${stdout}${stderr}`.slice(0, 2_000);
}

/** Whether something listens there. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  return true;
}
