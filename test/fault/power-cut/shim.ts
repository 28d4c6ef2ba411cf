/** Runs a child whose fsyncs are observed: what it has fsynced is copied, and an fsync can end it or fail. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const source = new URL('./fsync-shim.c', import.meta.url).pathname;

export interface Child {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly dataFolder: string;
  /** Receives the fsynced content of each file. */
  readonly durableFolder: string;
  /** The child dies before this fsync of the write-ahead log; 1 is the first. */
  readonly dieAtFlush?: number;
  /** While this file exists, every fsync fails. */
  readonly failingFile?: string;
}

/** Compiles the library into the folder, and returns its path. Requires a C compiler. */
export function compileShim(folder: string): string {
  const library = join(folder, 'fsync-shim.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-o', library, source, '-ldl'], { stdio: 'inherit' });
  return library;
}

/** Returns the lines that the child has printed until its end. */
export async function runWithShim(library: string, options: Child): Promise<readonly string[]> {
  const { program, parameters, dataFolder, durableFolder, dieAtFlush, failingFile } = options;
  mkdirSync(durableFolder, { recursive: true });
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      LD_PRELOAD: library,
      DATA_FOLDER: dataFolder,
      DURABLE_FOLDER: durableFolder,
      ...(dieAtFlush !== undefined && { DIE_AT_FLUSH: String(dieAtFlush) }),
      ...(failingFile !== undefined && { FAILING_FILE: failingFile }),
    },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  return output.split('\n').slice(0, -1);
}
