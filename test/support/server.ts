/** Starts real servers as child processes, on free ports in the test's folder. */
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTestProgram } from './bundled-programs.ts';
import { program, startTriglyph, triglyph, type Variables } from './commands.ts';
import { preparedOncePerRun } from './once-per-run.ts';
import { hangMsMax } from './until.ts';

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

/** Matches both forms of an address: the demo's sentence and the server's log line. */
const address = (name: string) => new RegExp(`${name}(?: at |":")(https?://[^\\s",]+:\\d+)`);

export interface StartOptions {
  /** Another program, for seeded defects. */
  readonly file?: string | undefined;
  /** Those of the command. */
  readonly parameters?: readonly string[];
}

/** Starts `demo` or `serve` on free ports and waits until it is ready; rejects with its output where it ends before. */
export const startServer = async (
  command: 'demo' | 'serve',
  folder: string,
  variables: Variables = {},
  { file, parameters = [] }: StartOptions = {},
): Promise<Server> => {
  const own = await findTestProgram(file ?? program);
  const dataDir = variables.DATA_DIR ?? join(folder, 'data');
  const startedAt = performance.now();
  const { child, received, over } = startTriglyph(
    [command, ...parameters],
    folder,
    { ...own.variables, ...variables, DATA_DIR: dataDir },
    own.file,
  );
  const ready = new Promise<{ callers: string; admin: string; readyMs: number }>((resolve, reject) => {
    const failure = (reason: string) => new Error(`${command} ${reason}:\n${received.stdout}${received.stderr}`);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(failure('was not ready in time'));
    }, hangMsMax);
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

const keyFileName = 'keys';
const dataFolderName = 'data';
const credentialFileName = 'credential.json';

/**
 * Creates a key file, a company with a merchant account, and a credential, as an operator does before the first `serve`. They
 * are copies of one preparation. `also.DATABASE_URL`: a database without rows.
 */
export async function prepareProduction(folder: string, also: Variables = {}): Promise<Production> {
  const prepared = await preparedOncePerRun('production', runPreparingCommands);
  const variables: Variables = {
    DATA_DIR: join(folder, dataFolderName),
    KEY_FILE: join(folder, keyFileName),
    ...also,
  };
  copyFileSync(join(prepared, keyFileName), variables.KEY_FILE!);
  cpSync(join(prepared, dataFolderName), variables.DATA_DIR!, { recursive: true });
  if (variables.DATABASE_URL !== undefined)
    await done(['copy', '--from', `sqlite:${variables.DATA_DIR}`, '--to', 'env:DATABASE_URL'], folder, variables);
  return { variables, credential: JSON.parse(readFileSync(join(prepared, credentialFileName), 'utf8')) };
}

async function runPreparingCommands(folder: string): Promise<void> {
  const variables: Variables = {
    DATA_DIR: join(folder, dataFolderName),
    KEY_FILE: join(folder, keyFileName),
    // Its key would be among the sealed rows of every test that counts them.
    AUDIT: 'off',
  };
  await done(['keys', 'create', variables.KEY_FILE!], folder, variables);
  await done(['migrate'], folder, variables);
  await done(['credential', 'merchant-account', 'add', 'Acme', 'AcmeWeb'], folder, variables);
  const credential = await done(['credential', 'add', 'Acme', '--account', 'AcmeWeb', '--json'], folder, variables);
  writeFileSync(join(folder, credentialFileName), credential);
}

/** Returns the output of a command, which must succeed. */
async function done(parameters: readonly string[], folder: string, variables: Variables): Promise<string> {
  const { code, stdout, stderr } = await triglyph(parameters, folder, variables);
  if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

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
