/** Follows a page of `docs/clients/` as a newcomer does: saves its files, runs its commands, compares what they print. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const folderOfPages = join(import.meta.dirname, '../../docs/clients');
/** The address that the demo has by default. */
const documented = 'http://127.0.0.1:8080';

/** A fenced block: `sh`, a file (its name follows the language), or what the commands before print. */
export type Block =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'output'; readonly text: string };

export interface Step {
  readonly command: string;
  readonly printed: string;
  /** Absent where the page shows none. */
  readonly expected: string | undefined;
}

export function readPage(name: string): readonly Block[] {
  return readBlocks(name, readFileSync(join(folderOfPages, `${name}.md`), 'utf8'));
}

/** `name`: of the page, for errors. */
export function readBlocks(name: string, page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', file = '', text = '']) => {
    if (file !== '') return { kind: 'file', name: file, text };
    if (language === 'sh') return { kind: 'command', text };
    if (language === 'text') return { kind: 'output', text };
    throw new Error(`${name}.md has a block that is neither a file nor a command nor an output: ${text}`);
  });
}

/** Returns the Debian packages that a page installs. */
export function packagesOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap(({ kind, text }) => (kind === 'command' && text.startsWith('apt-get ') ? installed(text) : []));
}

function installed(command: string): readonly string[] {
  return command
    .trim()
    .split(/\s+/)
    .slice(2)
    .filter((word) => !word.startsWith('-'));
}

/** `modules`: the `node_modules` that has what the page installs by npm. `env`: variables of the commands. */
export async function followPage(
  blocks: readonly Block[],
  callers: string,
  folder: string,
  modules: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const [at, block] of blocks.entries()) {
    switch (block.kind) {
      case 'file':
        mkdirSync(dirname(join(folder, block.name)), { recursive: true });
        writeFileSync(join(folder, block.name), block.text.replaceAll(documented, callers));
        break;
      case 'command': {
        // The run has installed the packages already.
        if (block.text.startsWith('apt-get install ')) break;
        if (block.text.startsWith('npm install ')) {
          for (const name of installed(block.text)) requireModule(name, modules);
          symlinkSync(modules, join(folder, 'node_modules'));
          break;
        }
        const next = blocks[at + 1];
        const printed = await run(block.text.replaceAll(documented, callers), folder, env);
        steps.push({ command: block.text, printed, expected: next?.kind === 'output' ? next.text : undefined });
        break;
      }
      case 'output':
        break;
      default:
        block satisfies never;
    }
  }
  return steps;
}

/** Removes references, aliases and dates, which differ by installation. */
export function comparable(text: string): string {
  return text
    .trim()
    .replace(/\b[A-Z0-9]{16}\b/g, 'REFERENCE')
    .replace(/\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\d(\.\d+)?(Z|(\+|-|%2B)\d\d(:|%3A)\d\d)/g, 'DATE');
}

/** `name`: with its version, such as `soap@1.13.0`. */
function requireModule(name: string, modules: string): void {
  const [module = '', version] = name.split('@');
  const found: unknown = JSON.parse(readFileSync(join(modules, module, 'package.json'), 'utf8')).version;
  if (found !== version) throw new Error(`the page installs ${name}, but the tests have ${found}`);
}

async function run(command: string, folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${env.PATH ?? process.env.PATH}`;
  const { stdout } = await execute('sh', ['-e', '-c', command], {
    cwd: folder,
    env: { ...process.env, ...env, PATH, LC_ALL: 'C.UTF-8' },
    timeout: 120_000,
    maxBuffer: 1 << 26,
  });
  return stdout;
}
