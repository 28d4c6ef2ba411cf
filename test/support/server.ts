/** Runs the real program as child processes: commands, and servers on free ports in the test's folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../bin/triglyph.mjs');

export type Variables = Readonly<Record<string, string>>;

/** The environment of the child, without settings and Node flags of the tests' own. */
const environment = (variables: Variables): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  ...variables,
});

export interface Ended {
  /** Null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const start = (
  parameters: readonly string[],
  folder: string,
  variables: Variables,
  file: string = program,
): ChildProcess =>
  // Runs in the test's folder, so that it reads no .env of the developer.
  spawn(process.execPath, [file, ...parameters], {
    cwd: folder,
    env: environment(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const gather = (child: ChildProcess) => {
  const received = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    received.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    received.stderr += text;
  });
  return received;
};

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });

/** Runs a command and waits until it ends. */
export const triglyph = async (
  parameters: readonly string[],
  folder: string,
  variables: Variables = {},
): Promise<Ended> => {
  const child = start(parameters, folder, variables);
  const received = gather(child);
  const code = await ended(child);
  return { code, ...received };
};

/** Starts a command, kills it with SIGKILL once `when` resolves, and returns its output. */
export const killedWhen = async (
  parameters: readonly string[],
  folder: string,
  variables: Variables,
  when: () => Promise<void>,
): Promise<Ended> => {
  const child = start(parameters, folder, variables);
  const received = gather(child);
  const over = ended(child);
  await when();
  child.kill('SIGKILL');
  const code = await over;
  return { code, ...received };
};

export interface Server {
  /** `http://127.0.0.1:40123` */
  readonly callers: string;
  readonly admin: string;
  readonly dataDir: string;
  readonly pid: number;
  /** From the start of the process until its ready line. */
  readonly readyMs: number;
  /** All output, log lines included. */
  output(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL, which models a power cut. */
  kill(): Promise<void>;
}

const readyMsMax = 30_000;
/** Matches both forms of an address: the demo's sentence and the server's log line. */
const address = (name: string) => new RegExp(`${name}(?: at |":")(http://[^\\s",]+:\\d+)`);

/**
 * Starts `demo` or `serve` on free ports and waits until it is ready; rejects with its output where it ends before.
 * `file`: another program, for seeded defects.
 */
export const startServer = async (
  command: 'demo' | 'serve',
  folder: string,
  variables: Variables = {},
  file?: string,
): Promise<Server> => {
  const dataDir = variables.DATA_DIR ?? join(folder, 'data');
  const startedAt = performance.now();
  const child = start([command], folder, { ...variables, DATA_DIR: dataDir }, file);
  const received = gather(child);
  const over = ended(child);
  const ready = new Promise<{ callers: string; admin: string; readyMs: number }>((resolve, reject) => {
    const failure = (reason: string) => new Error(`${command} ${reason}:\n${received.stdout}${received.stderr}`);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(failure('was not ready in time'));
    }, readyMsMax);
    child.stdout?.on('data', () => {
      const callers = address('callers').exec(received.stdout)?.[1];
      const admin = address('admin').exec(received.stdout)?.[1];
      if (callers === undefined || admin === undefined) return;
      clearTimeout(timer);
      resolve({ callers, admin, readyMs: performance.now() - startedAt });
    });
    over.then((code) => {
      clearTimeout(timer);
      reject(failure(`ended with ${code}`));
    }, reject);
  });
  const { callers, admin, readyMs } = await ready;
  return {
    callers,
    admin,
    dataDir,
    pid: child.pid!,
    readyMs,
    output: () => received.stdout + received.stderr,
    stop() {
      child.kill('SIGTERM');
      return over;
    },
    async kill() {
      child.kill('SIGKILL');
      await over;
    },
  };
};

export interface Production {
  readonly variables: Variables;
  readonly credential: { readonly id: string; readonly username: string; readonly secret: string };
}

/** Creates a key file, a company with a merchant account, and a credential, as an operator does before the first `serve`. */
export const prepareProduction = async (folder: string, also: Variables = {}): Promise<Production> => {
  const keyFile = join(folder, 'keys');
  const variables: Variables = { DATA_DIR: join(folder, 'data'), KEY_FILE: keyFile, ...also };
  const done = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(parameters, folder, variables);
    if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  await done('keys', 'create', keyFile);
  await done('migrate');
  await done('credential', 'merchant-account', 'add', 'Acme', 'AcmeWeb');
  const credential = JSON.parse(await done('credential', 'add', 'Acme', '--account', 'AcmeWeb', '--json'));
  return { variables, credential };
};

export const basic = (username: string, secret: string): string =>
  `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;

/** The credentials that the demo prints. */
export const demoAuthorization = basic('ws@Company.Demo', 'demo-password');

/** Calls an operation in JSON; returns the status and the body. */
export const ask = async (
  callers: string,
  operation: string,
  input: object,
  authorization = demoAuthorization,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly answer: Readonly<Record<string, unknown>> }> => {
  const response = await fetch(`${callers}/pal/servlet/Recurring/v25/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization, ...headers },
    body: JSON.stringify(input),
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
};
