/** Runs a client of a stack against a server: makes its stubs, starts it, and compares what it prints. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Mismatch, mismatches, readSeen } from './expected.ts';
import { type Document, isVersion1, type Run, type Stack } from './stack.ts';
import { v12Wsdl } from './v12-wsdl.ts';

const execute = promisify(execFile);

export interface Outcome {
  readonly stack: Stack;
  readonly run: Run;
  readonly mismatches: readonly Mismatch[];
  /** Where stubs could not be made, or the client ended early. */
  readonly failure?: string;
}

export function passed({ failure, mismatches }: Outcome): boolean {
  return failure === undefined && mismatches.length === 0;
}

const timeLimitMs = 120_000;

/** `modules`: the folder with `node_modules` for clients whose packages are not those of the tests. */
export async function runClient(
  stack: Stack,
  run: Run,
  callers: string,
  folder: string,
  modules = '',
): Promise<Outcome> {
  mkdirSync(folder, { recursive: true });
  const document = locate(run.document, callers, folder);
  const endpoint = callers + (run.path ?? paths[run.document]);
  const shopper = `${stack.name}-${randomUUID()}`;
  const environment = {
    ...process.env,
    CLIENT: join(import.meta.dirname, 'clients', stack.name),
    ...(isVersion1(run) && { VERSION1: '1' }),
    DOCUMENT: document,
    NODE: process.execPath,
    NODE_PATH: modules,
    LC_ALL: 'C.UTF-8',
  };
  const shell = (script: string, parameters: readonly string[] = []) =>
    execute('sh', ['-e', '-c', script, 'sh', ...parameters], {
      cwd: folder,
      env: environment,
      timeout: timeLimitMs,
      maxBuffer: 1 << 26,
    });
  try {
    if (stack.prepare !== undefined) await shell(stack.prepare);
    const { stdout } = await shell(`${stack.command} "$@"`, [document, endpoint, shopper, run.variant]);
    return { stack, run, mismatches: mismatches(readSeen(stdout), shopper, isVersion1(run)) };
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { readonly stdout?: string; readonly stderr?: string };
    const failure = [lastLines(stderr), lastLines(stdout), String(thrown)].find((text) => text !== '') ?? '';
    return { stack, run, mismatches: mismatches(readSeen(stdout), shopper, isVersion1(run)), failure };
  }
}

/** The path that a document names. */
const paths: Readonly<Record<Document, string>> = {
  V1: '/pal/servlet/soap/Recurring',
  'v1?wsdl': '/pal/servlet/Recurring/v1',
  V12: '/pal/servlet/Recurring/V12/',
  '?wsdl': '/pal/servlet/Recurring/v25',
  '?wsdl&soap12=no': '/pal/servlet/Recurring/v25',
  'v68?wsdl': '/pal/servlet/Recurring/v68',
  'v68?wsdl&soap12=no': '/pal/servlet/Recurring/v68',
  none: '/pal/servlet/Recurring/v25',
};

/** V12 is a file, as old callers have it; the others are read from the server. */
function locate(document: Document, callers: string, folder: string): string {
  switch (document) {
    case 'none':
      return 'none';
    case 'V1':
      return `${callers}/pal/Recurring.wsdl?soap12=no`;
    case 'v1?wsdl':
    case 'v68?wsdl':
    case 'v68?wsdl&soap12=no':
      return `${callers}/pal/servlet/Recurring/${document}`;
    case 'V12': {
      const file = join(folder, 'Recurring.wsdl');
      writeFileSync(file, v12Wsdl(callers + paths.V12));
      return file;
    }
    default:
      return `${callers}${paths[document]}${document}`;
  }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-12).join('\n');
}
