/** The state of a mock: resources as rows of one table, which belong to their service. */

import type { Members } from '../../../core/lib/index.ts';
import { column, type ReadTransaction, statement, type Transaction, table } from '../../../stores/index.ts';

const { text, integer } = column;

export const mockResources = table('mock_resource', {
  columns: { service: text, resource: text, id: text, position: integer, content: text },
  key: ['service', 'resource', 'id'],
  shared: 'the callers of a mock',
  signed: 'none',
  belongsTo: 'none',
  keptFor: 'forever',
});

const find = statement<{ readonly content: string }>(
  'find-mock-resource',
  'select content from mock_resource where service = $1 and resource = $2 and id = $3',
);
const list = statement<{ readonly id: string; readonly content: string }>(
  'list-mock-resources',
  'select id, content from mock_resource where service = $1 and resource = $2 order by position',
);
const last = statement<{ readonly position: number | null }>(
  'last-mock-resource',
  'select max(position) as position from mock_resource where service = $1 and resource = $2',
);
const save = statement(
  'save-mock-resource',
  `insert into mock_resource (service, resource, id, position, content) values ($1, $2, $3, $4, $5)
    on conflict (service, resource, id) do update set content = excluded.content`,
);

/** One that is stored. */
export interface StoredResource {
  /** The values of its ids, as texts. */
  readonly id: readonly string[];
  readonly content: Members;
}

/** The resources of one kind, within a transaction. */
export class StoredResources {
  readonly #tx: ReadTransaction;
  readonly #place: readonly [service: string, resource: string];

  constructor(tx: ReadTransaction, service: string, resource: string) {
    this.#tx = tx;
    this.#place = [service, resource];
  }

  /** Undefined for one that never was, `deleted` for one that is no more. */
  async find(id: readonly string[]): Promise<Members | 'deleted' | undefined> {
    const [row] = await this.#tx.query(find, [...this.#place, JSON.stringify(id)]);
    return row && (parse(row.content) ?? 'deleted');
  }

  /** In the order of their creation. */
  async list(): Promise<readonly StoredResource[]> {
    const rows = await this.#tx.query(list, this.#place);
    return rows.flatMap(({ id, content: written }) => {
      const content = parse(written);
      return content === undefined ? [] : [{ id: JSON.parse(id) as readonly string[], content }];
    });
  }

  /** The number of the next one, from 1. Deleted ones count. */
  async nextPosition(): Promise<number> {
    const [row] = await this.#tx.query(last, this.#place);
    return Number(row?.position ?? 0) + 1;
  }

  /** `undefined`: deletes it. */
  async save(tx: Transaction, id: readonly string[], content: Members | undefined): Promise<void> {
    const written = content === undefined ? deleted : JSON.stringify(content);
    await tx.execute(save, [...this.#place, JSON.stringify(id), await this.nextPosition(), written]);
  }
}

const deleted = 'null';

/** Undefined for one that is deleted. */
function parse(content: string): Members | undefined {
  return content === deleted ? undefined : (JSON.parse(content) as Members);
}
