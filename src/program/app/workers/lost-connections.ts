/** Gives a connection that a lost worker had not accepted to another worker. */
import type { Worker } from 'node:cluster';
import type { EventEmitter } from 'node:events';

/** The messages of node:cluster that hand a connection to a worker, and that acknowledge it. They are not documented. */
interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

/** Acknowledgements that the worker sent before its end are read within this time. */
const lastMessagesMs = 100;

/**
 * node:cluster forgets a connection when the worker ends before it acknowledges it: the caller would wait for ever. When the
 * worker is gone, this acknowledges in its name that it refuses, as a worker does that shuts down. Nothing is sent twice: a
 * request that the lost worker had read is not in the connection any more.
 */
export function redistributeLostConnections(worker: Worker): void {
  const pending = new Set<number>();
  const channel = worker.process;
  const messages: EventEmitter = channel;
  const send = channel.send.bind(channel) as (...parameters: unknown[]) => boolean;
  channel.send = (...parameters: unknown[]) => {
    const { cmd, act, seq } = parameters[0] as ClusterMessage;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) pending.add(seq);
    return send(...parameters);
  };
  messages.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) pending.delete(ack);
  });
  const refuse = (): void => {
    if (pending.size === 0) return;
    // node:cluster then chooses among the others. It waits for acknowledgements before it notices the end of a channel.
    worker.disconnect();
    for (const ack of [...pending]) messages.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  };
  worker.once('exit', () => setTimeout(refuse, lastMessagesMs));
}
