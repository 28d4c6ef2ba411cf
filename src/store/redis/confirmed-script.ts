/** Runs a script, and asks the replicas on the same connection whether they have what it wrote. */
import { createHash } from 'node:crypto';
import { Cluster, Command, type Redis } from 'ioredis';
import { beforeWrite, type Connection } from './open.ts';

/** A script that is sent by its hash, and as a text where the server does not have it. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
}

interface Confirmed {
  readonly reply: unknown;
  readonly copies: Promise<unknown> | undefined;
}

/** Prepares a script. */
export function scriptOf(lua: string): Script {
  return Object.freeze({ lua, sha: createHash('sha1').update(lua).digest('hex') });
}

/**
 * Returns the reply of the script, and that of `wait`, which comes later. Both are sent on one connection: on a new one, WAIT would confirm
 * what was never sent there. A cluster follows no redirection then. It asks for its slots anew, and the caller sends the script again.
 */
export async function runConfirmed(
  client: Connection,
  script: Script,
  parameters: readonly string[],
  wait: readonly string[],
): Promise<Confirmed> {
  try {
    return await send(client, ['evalsha', script.sha, ...parameters], wait);
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.startsWith('NOSCRIPT'))
      return await send(client, ['eval', script.lua, ...parameters], wait);
    if (client instanceof Cluster) client.refreshSlotsCache();
    throw thrown;
  }
}

async function send(client: Connection, script: readonly string[], wait: readonly string[]): Promise<Confirmed> {
  const run = commandOf(script);
  const connection = client instanceof Cluster ? sendToSlot(client, run) : sendTo(client, run);
  const copies = connection && confirmationOf(connection, wait);
  // A script that fails or writes nothing waits for no copy.
  copies?.catch(() => {});
  return { reply: await run.promise, copies };
}

/** The confirmations that scripts of this turn of the event loop wait for. */
const confirmations = new WeakMap<Redis, { readonly wait: string; readonly reply: Promise<unknown> }>();

/** One WAIT confirms all that was sent before it, so the scripts of one turn share it. */
function confirmationOf(connection: Redis, wait: readonly string[]): Promise<unknown> {
  const text = wait.join(' ');
  const shared = confirmations.get(connection);
  if (shared?.wait === text) return shared.reply;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  connection.once(beforeWrite, () => {
    confirmations.delete(connection);
    const command = commandOf(wait);
    sendTo(connection, command);
    resolve(command.promise);
  });
  confirmations.set(connection, { wait: text, reply: promise });
  return promise;
}

function commandOf([name = '', ...parameters]: readonly string[]): Command {
  return new Command(name, parameters, { replyEncoding: 'utf8' });
}

function sendTo(client: Redis, command: Command): Redis {
  client.sendCommand(command);
  return client;
}

/** Returns the connection that the command was sent on; undefined where there is none. */
function sendToSlot(cluster: Cluster, command: Command): Redis | undefined {
  // The cluster adds the connection.
  const node: { readonly slot: number | null; readonly redis?: Redis } = { slot: command.getSlot() };
  cluster.sendCommand(command, undefined, node);
  return node.redis;
}
