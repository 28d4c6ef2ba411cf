/** Bundles the servers of tests, which are killed and started again and again: a start takes a third of the CPU time of their sources. */
import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Variables } from './commands.ts';
import { preparedOncePerRun } from './once-per-run.ts';

const root = join(import.meta.dirname, '../..');
const programs = [
  'test/fault/crashing-server.ts',
  'test/fault/injection/server.ts',
  'test/fault/orders-server.ts',
  'test/fault/remembering-server.ts',
  'test/fault/server-ending-jobs-early.ts',
  'test/support/large-own-paths-gateway.ts',
  'test/support/large-values-gateway.ts',
  'test/support/server-of-next-release.ts',
  'test/support/server-trusting-redis.ts',
];

export interface TestProgram {
  readonly file: string;
  readonly variables: Variables;
}

/** Returns the program from a bundle, as `npm test` starts the gateway, or the file itself where the sources are started. */
export async function findTestProgram(file: string): Promise<TestProgram> {
  const { TEST_PROGRAM } = process.env;
  const path = relative(root, file);
  if (TEST_PROGRAM === undefined || !programs.includes(path)) return { file, variables: {} };
  const folder = await preparedOncePerRun('programs', (part) =>
    bundlePrograms(part, join(dirname(TEST_PROGRAM), '..')),
  );
  // The cache of the checkout would keep the files of each run.
  const variables = { NODE_COMPILE_CACHE: join(folder, 'compile') };
  return { file: join(folder, 'dist/programs', `${nameOf(path)}.js`), variables };
}

function nameOf(path: string): string {
  return path.slice('test/'.length, -'.ts'.length).replaceAll('/', '-');
}

/** `gateway`: the folder of its bundle, which has the other files of a program. */
async function bundlePrograms(folder: string, gateway: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundler = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((path) => [nameOf(path), path])),
    platform: 'node',
    // Its paths are those of the package, which examples import.
    tsconfig: true,
    external: ['pg', 'ioredis'],
    checks: { eval: false },
  });
  // As deep as the modules of src: what they locate by a relative path is found.
  await bundler.write({
    dir: join(folder, 'dist'),
    entryFileNames: 'programs/[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // A process that SIGKILL ends writes no cache itself.
    footer: ({ isEntry }) => (isEntry ? "(await import('node:module')).flushCompileCache();" : ''),
  });
  await bundler.close();
  cpSync(join(gateway, 'package.json'), join(folder, 'package.json'));
  // The files that a program starts or serves: the page of the console, and the thread that compares copies.
  for (const each of ['console-page', 'upstream']) symlinkSync(join(gateway, 'dist', each), join(folder, 'dist', each));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
