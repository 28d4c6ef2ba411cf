/** Runs a script, and asks the replicas on the same connection whether they have what it wrote. */
import { createHash } from 'node:crypto';
import { Cluster, Command, type Redis } from 'ioredis';
import { beforeWrite, type Connection } from './open.ts';

/** A script that is sent by its hash, and as a text where the server does not know it. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
  /** Whether a server that does not know it must not run it; false by default. */
  readonly isKnown?: boolean;
}

interface Confirmed {
  readonly reply: unknown;
  readonly copies: Promise<unknown> | undefined;
}

/** How many replicas must have what a script wrote. */
export interface Copies {
  readonly replicas: number;
  /** Whether they must have it in their append-only files, too: Redis 7.2 and later tell, by `WAITAOF`. */
  readonly toFiles: boolean;
}

/** So long a script waits for its copies. */
const waitMsMax = 800;

/** Fewer replicas than required have what a script wrote. */
export class NotCopied extends Error {
  override readonly name = 'NotCopied';
}

/** Prepares a script. */
export function scriptOf(lua: string): Script {
  return Object.freeze({ lua, sha: createHash('sha1').update(lua).digest('hex') });
}

/** Whether the server refuses a script that it does not know. */
export function isUnknownScript(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('NOSCRIPT');
}

/**
 * Returns the reply of the script when its copies are confirmed. Both are sent on one connection: on a new one, WAIT would confirm what was
 * never sent there. A cluster follows no redirection then. It asks for its slots anew, and the caller sends the script again. `parameters`: the
 * number of keys, the keys, and the others. `isWritten`: whether a reply says that there is something to confirm. Throws NotCopied, and the error
 * of a server that does not know the script where `isKnown` says that it must.
 */
export async function runConfirmed(
  client: Connection,
  { lua, sha, isKnown = false }: Script,
  parameters: readonly string[],
  { replicas, toFiles }: Copies,
  isWritten: (reply: unknown) => boolean = () => true,
): Promise<unknown> {
  const bounds = [String(replicas), String(waitMsMax)];
  const wait = replicas === 0 ? undefined : toFiles ? ['WAITAOF', '0', ...bounds] : ['WAIT', ...bounds];
  let sent: Confirmed;
  try {
    sent = await send(client, ['evalsha', sha, ...parameters], wait);
  } catch (thrown) {
    if (!isUnknownScript(thrown)) {
      if (client instanceof Cluster) client.refreshSlotsCache();
      throw thrown;
    }
    if (isKnown) throw thrown;
    sent = await send(client, ['eval', lua, ...parameters], wait);
  }
  // WAITAOF answers with the number of files of the master and with that of the replicas.
  if (wait !== undefined && isWritten(sent.reply) && !(Number([await sent.copies].flat().at(-1)) >= replicas))
    throw new NotCopied();
  return sent.reply;
}

async function send(
  client: Connection,
  script: readonly string[],
  wait: readonly string[] | undefined,
): Promise<Confirmed> {
  const run = commandOf(script);
  const connection = client instanceof Cluster ? sendToSlot(client, run) : sendTo(client, run);
  const copies = connection && wait && confirmationOf(connection, wait);
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
