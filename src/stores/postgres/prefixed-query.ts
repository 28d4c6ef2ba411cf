/** A statement with others before it in one message: where one of them fails, PostgreSQL runs none of the rest. */
import { type Connection, type PoolClient, Query, type QueryConfig, type QueryResult } from 'pg';
import type { Row } from '../sql/engine.ts';

/** What the types of the client lack. */
declare module 'pg' {
  interface Connection {
    /** The texts of the named statements that the server has prepared. */
    readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  }
  interface Query {
    /** Sends the statement, and a Sync behind it. */
    prepare(connection: Connection): void;
    handleCommandComplete(message: unknown, connection: Connection): void;
  }
}

/** An option of the client that its types lack. */
export interface TimedConfig extends QueryConfig {
  readonly query_timeout?: number;
}

interface ExtendedConfig extends TimedConfig {
  /** Without it, a text without name and values is sent in another kind of message. */
  readonly queryMode: 'extended';
}

/** Bounded: commands are constants of the program. */
const messages = new Map<string, Buffer>();

class PrefixedQuery extends Query {
  readonly query_timeout: number | undefined;
  readonly #prefix: readonly string[];
  #completed = 0;

  constructor(
    prefix: readonly string[],
    config: ExtendedConfig,
    callback: (thrown: Error | undefined, result: QueryResult<Row>) => void,
  ) {
    super(config, callback);
    this.#prefix = prefix;
    this.query_timeout = config.query_timeout;
  }

  override prepare(connection: Connection): void {
    for (const text of this.#prefix) connection.stream.write(messageOf(text));
    super.prepare(connection);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    this.#completed += 1;
    if (this.#completed > this.#prefix.length) super.handleCommandComplete(message, connection);
  }
}

/** Each text of `prefix` is one command without rows. Resolves to the result of the statement. */
export function queryWithPrefix(
  client: PoolClient,
  prefix: readonly string[],
  config: TimedConfig,
): Promise<QueryResult<Row>> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult<Row>>();
  const query = new PrefixedQuery(prefix, { ...config, queryMode: 'extended' }, (thrown, result) => {
    if (thrown) reject(thrown);
    else resolve(result);
  });
  client.query(query);
  return promise;
}

/** Parse, Bind and Execute of an unnamed statement without parameters, in an unnamed portal. */
function messageOf(text: string): Buffer {
  const known = messages.get(text);
  if (known !== undefined) return known;
  const created = Buffer.concat([
    part('P', `\0${text}\0`, 2),
    // Neither formats nor values of parameters, and no formats of results.
    part('B', '\0\0', 6),
    // All rows.
    part('E', '\0', 4),
  ]);
  messages.set(text, created);
  return created;
}

/** `zeros`: the bytes behind the texts. */
function part(kind: string, texts: string, zeros: number): Buffer {
  const body = Buffer.concat([Buffer.from(texts), Buffer.alloc(zeros)]);
  const head = Buffer.from(`${kind}\0\0\0\0`);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
