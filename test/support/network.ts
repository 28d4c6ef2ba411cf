/** Machines of a test's own: network namespaces on one bridge, each of which can lose its power or its cable. Requires root or sudo. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { openSync } from 'node:fs';
import { runner } from './postgres-instance.ts';
import { until } from './until.ts';

export interface Machine {
  readonly address: string;
  /** Starts a program as the user of the server; its output goes to the file. */
  run(command: readonly string[], options: RunOptions): ChildProcess;
  /** Sends a signal to each of its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** SIGKILL to all its processes: the power fails. */
  kill(): Promise<void>;
  /** Pulls its cable: packets are dropped, and connections stay half open. */
  cutOff(): void;
  /** Drops its packets to these machines only: the host of the test still reaches it. */
  cutOffFrom(others: readonly Machine[]): void;
  /** Ends both cuts. */
  reconnect(): void;
}

export interface RunOptions {
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Network {
  /** The address of machine `n` is `prefix` and `n + 11`, as in deploy/cluster. */
  readonly prefix: string;
  readonly machines: readonly Machine[];
  /** Kills what still runs, and removes the network. */
  close(): Promise<void>;
}

const asRoot: readonly string[] = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

export function createNetwork(count: number): Network {
  const name = `tg${randomInt(36 ** 5, 36 ** 6).toString(36)}`;
  const prefix = `10.${randomInt(128, 256)}.${randomInt(0, 256)}.`;
  const bridge = `${name}b`;
  const namespaces = Array.from({ length: count }, (_, at) => `${name}${at}`);
  const remove = () => {
    for (const namespace of namespaces) {
      for (const pid of pidsOf(namespace)) kill(pid, 'SIGKILL');
      attempt(() => ip('netns', 'del', namespace));
    }
    attempt(() => ip('link', 'del', bridge));
  };
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', `${prefix}1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    const machines = namespaces.map((namespace, at) => createMachine(namespace, bridge, `${prefix}${at + 11}`));
    process.once('exit', remove);
    return {
      prefix,
      machines,
      async close() {
        for (const machine of machines) await machine.kill();
        remove();
        process.off('exit', remove);
      },
    };
  } catch (thrown) {
    remove();
    throw new Error('network namespaces cannot be made here: the test needs root or sudo, and CAP_NET_ADMIN', {
      cause: thrown,
    });
  }
}

function createMachine(namespace: string, bridge: string, address: string): Machine {
  const [outside, inside] = [`${namespace}o`, 'eth0'];
  const within = (...parameters: readonly string[]) => ip('-n', namespace, ...parameters);
  ip('netns', 'add', namespace);
  ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', namespace);
  ip('link', 'set', outside, 'master', bridge, 'up');
  within('link', 'set', 'lo', 'up');
  within('addr', 'add', `${address}/24`, 'dev', inside);
  within('link', 'set', inside, 'up');
  const blackholes = new Set<string>();
  return {
    address,
    run(command, { log, env = {} }) {
      const { uid = process.getuid!(), gid = process.getgid!() } = runner();
      const user = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
      const variables = Object.entries({ PATH: process.env.PATH ?? '', ...env }).map(
        ([key, value]) => `${key}=${value}`,
      );
      const [program, ...parameters] = [
        ...asRoot,
        'ip',
        'netns',
        'exec',
        namespace,
        ...user,
        'env',
        '-i',
        ...variables,
      ];
      const output = openSync(log, 'a');
      return spawn(program!, [...parameters, ...command], { stdio: ['ignore', output, output] });
    },
    signal(signal) {
      for (const pid of pidsOf(namespace)) kill(pid, signal);
    },
    async kill() {
      await until('its processes to end', () => {
        const pids = pidsOf(namespace);
        for (const pid of pids) kill(pid, 'SIGKILL');
        return pids.length === 0;
      });
    },
    cutOff() {
      ip('link', 'set', outside, 'down');
    },
    cutOffFrom(others) {
      for (const { address } of others) {
        within('route', 'add', 'blackhole', `${address}/32`);
        blackholes.add(address);
      }
    },
    reconnect() {
      ip('link', 'set', outside, 'up');
      for (const address of blackholes) within('route', 'del', 'blackhole', `${address}/32`);
      blackholes.clear();
    },
  };
}

function ip(...parameters: readonly string[]): string {
  const [program, ...rest] = [...asRoot, 'ip', ...parameters];
  return execFileSync(program!, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function pidsOf(namespace: string): readonly number[] {
  try {
    return ip('netns', 'pids', namespace).split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function kill(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  // It may have ended meanwhile.
  attempt(() => process.kill(pid, signal));
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // It was not there.
  }
}
