/** Balance platforms and their resources in a database: what handlers see of them, and what a unit of work writes. */

import type { Session } from '../../../store/sql/engine.ts';
import type { Sealed } from '../../../vault/ports.ts';
import type { Children, Platform, PlatformReads, PlatformWrites, ResourceKind, StoredResource } from '../resource.ts';
import * as sql from './statements.ts';

export const platformOf = (row: sql.PlatformRow): Platform => ({
  id: row.balance_platform,
  company: row.company,
  description: row.description ?? undefined,
  status: row.status as Platform['status'],
  timeZone: row.time_zone,
});

const keptOf = <K extends ResourceKind>(kind: K, platform: string, row: sql.ResourceRow): StoredResource<K> => ({
  kind,
  platform,
  revision: row.revision,
  record: JSON.parse(row.record),
  ...(row.number_fingerprint !== undefined && { fingerprint: row.number_fingerprint, sealed: sealedOf(row) }),
});

const sealedOf = ({ key_id, data_key, sealed_number, sealed_shown }: sql.ResourceRow): Sealed => ({
  keyId: key_id!,
  dataKey: data_key!,
  number: sealed_number ?? undefined,
  shown: sealed_shown ?? undefined,
});

/** The values of the columns that name the parent, where it is not the platform. */
const parentsOf = ({ record }: StoredResource): readonly string[] => {
  if ('balanceAccountId' in record) return [record.balanceAccountId];
  return 'accountHolderId' in record ? [record.accountHolderId] : [];
};

/** The values of the columns of a kind that has something sealed. */
const secretsOf = ({ fingerprint, sealed }: StoredResource): readonly (string | null)[] =>
  fingerprint === undefined || sealed === undefined
    ? []
    : [fingerprint, sealed.keyId, sealed.dataKey, sealed.number ?? null, sealed.shown ?? null];

export const platformViewOf = (session: Session): PlatformReads => ({
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
  async findOpen({ kind, platform, parent }: Children) {
    return (await session.query(sql.resourceStatements[kind].findOpen, [platform, parent]))[0]?.id;
  },
});

/** Any one payment instrument, to try the keys on. */
export const findInstrumentSample = async (
  session: Session,
): Promise<StoredResource<'paymentInstrument'> | undefined> => {
  const [row] = await session.query(sql.findInstrumentSample, []);
  return row && keptOf('paymentInstrument', row.balance_platform, row);
};

export const platformUnitOf = (session: Session): PlatformWrites => ({
  ...platformViewOf(session),
  async addResource(kept) {
    const { kind, platform, revision, record } = kept;
    const state = [record.status, revision, JSON.stringify(record)];
    const row = [platform, record.id, ...parentsOf(kept), ...state, ...secretsOf(kept)];
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
