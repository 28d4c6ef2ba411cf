/** A real HAProxy with the configuration that docs/operations.md prints; only its addresses are the test's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './listen-locally.ts';
import { createTempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface Behind {
  readonly port: number;
  readonly adminPort: number;
}

export interface HaProxy {
  /** The address for callers. */
  readonly origin: string;
  /** Whether HAProxy sends requests to the server with this index. */
  isUp(at: number): Promise<boolean>;
  /** Whether HAProxy sends the server with this index no more requests. */
  isDown(at: number): Promise<boolean>;
  /** How often checks of a server have failed, so that HAProxy sent it no requests. */
  timesDown(): Promise<number>;
  /** The number of requests that HAProxy has retried or redispatched. */
  resent(): Promise<number>;
  close(): Promise<void>;
}

const names = ['one', 'two'];

const replaceOnce = (text: string, pattern: RegExp, by: string): string => {
  if ([...text.matchAll(new RegExp(pattern, 'gm'))].length !== 1) throw new Error(`${pattern} is not there once`);
  return text.replace(new RegExp(pattern, 'm'), by);
};

const configuration = (port: number, behind: readonly Behind[], folder: string): string => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const [, printed] = /```haproxy\n([^`]*)```/.exec(page) ?? [];
  if (printed === undefined) throw new Error('docs/operations.md prints no configuration of HAProxy');
  const placed = behind.reduce(
    (text, { port, adminPort }, at) =>
      replaceOnce(
        text,
        new RegExp(`server ${names[at]} .*`),
        `server ${names[at]} 127.0.0.1:${port} port ${adminPort}`,
      ),
    printed,
  );
  const bound = replaceOnce(placed, /bind .*/, `bind 127.0.0.1:${port}`);
  return replaceOnce(bound, /^global/, `global\n    stats socket ${join(folder, 'stats')} mode 600 level operator`);
};

type Row = Readonly<Record<string, string>>;

/** Reads the statistics of its servers. */
const ask = async (folder: string): Promise<readonly Row[]> => {
  const socket = connect(join(folder, 'stats'));
  socket.end('show stat\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  const [head = '', ...lines] = text.replace(/^# /, '').trim().split('\n');
  const columns = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, at) => [columns[at], value])));
};

/** Resolves once HAProxy is ready; `behind` are the two servers of the printed configuration. */
export const startHaProxy = async (behind: readonly [Behind, Behind]): Promise<HaProxy> => {
  const folder = createTempFolder();
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(port, behind, folder));
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close');
  process.once('exit', () => child.kill('SIGKILL'));
  const rowOf = async (at: number): Promise<Row | undefined> =>
    (await ask(folder)).find(({ pxname, svname }) => pxname === 'triglyph' && svname === names[at]);
  const isUp = async (at: number): Promise<boolean> => (await rowOf(at))?.status === 'UP';
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until('HAProxy and all behind it', async () => (await isUp(0)) && (await isUp(1)));
  } catch (thrown) {
    await close();
    throw new Error(`HAProxy did not serve:\n${output}`, { cause: thrown });
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    isUp,
    isDown: async (at) => (await rowOf(at))?.status?.startsWith('DOWN') === true,
    async timesDown() {
      const rows = (await ask(folder)).filter(
        ({ pxname, svname = '' }) => pxname === 'triglyph' && names.includes(svname),
      );
      return rows.reduce((sum, { chkdown }) => sum + Number(chkdown), 0);
    },
    async resent() {
      const rows = await ask(folder);
      const total = rows.find(({ pxname, svname }) => pxname === 'triglyph' && svname === 'BACKEND');
      return Number(total?.wretr) + Number(total?.wredis);
    },
    close,
  };
};
