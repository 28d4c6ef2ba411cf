/** Balance platforms and their resources in a database: what handlers see of them, and what a unit of work writes. */
import type {
  Children,
  Kept,
  Kind,
  Platform,
  PlatformUnit,
  PlatformView,
} from '../../domain/balance-platform/ports.ts';
import type { Session } from './engine.ts';
import * as sql from './platform-statements.ts';

export const platformOf = (row: sql.PlatformRow): Platform => ({
  id: row.balance_platform,
  company: row.company,
  description: row.description ?? undefined,
  status: row.status as Platform['status'],
  timeZone: row.time_zone,
});

const keptOf = <K extends Kind>(kind: K, platform: string, row: sql.ResourceRow): Kept<K> => ({
  kind,
  platform,
  revision: row.revision,
  record: JSON.parse(row.record),
});

/** Where a resource belongs, beside its platform: the columns of its table that name the parent. */
const parentsOf = (_: Kept): readonly string[] => [];

export const platformViewOf = (session: Session): PlatformView => ({
  async findPlatform(platform) {
    const [row] = await session.query(sql.findPlatform, [platform]);
    return row && platformOf(row);
  },
  async findResource(kind, platform, id) {
    const [row] = await session.query(sql.resourceStatements[kind].find, [platform, id]);
    return row && keptOf(kind, platform, row);
  },
  async listResources({ kind, platform, parent }, { offset, limit, status }) {
    const { list, listWithStatus } = sql.resourceStatements[kind];
    const rows =
      status === undefined
        ? await session.query(list, [platform, parent, limit, offset])
        : await session.query(listWithStatus, [platform, parent, status, limit, offset]);
    return rows.map((row) => keptOf(kind, platform, row));
  },
  async hasOpen({ kind, platform, parent }: Children) {
    return (await session.query(sql.resourceStatements[kind].findOpen, [platform, parent])).length > 0;
  },
});

export const platformUnitOf = (session: Session): PlatformUnit => ({
  ...platformViewOf(session),
  async addResource(kept) {
    const { kind, platform, revision, record } = kept;
    const row = [platform, record.id, ...parentsOf(kept), record.status, revision, JSON.stringify(record)];
    return (await session.execute(sql.resourceStatements[kind].add, row)) === 1;
  },
  async changeResource(kept) {
    const { kind, platform, revision, record } = kept;
    const state = [...parentsOf(kept), record.status, revision, JSON.stringify(record)];
    const written = await session.execute(sql.resourceStatements[kind].change, [
      platform,
      record.id,
      ...state,
      revision - 1,
    ]);
    // Within a unit, nobody else changes what was read in it.
    if (written !== 1) throw new Error(`${kind}: another state came between`);
  },
});
