/** Balance platforms and their resources: the same statements for each kind, over its own table. */

import type { Sealed } from '../../../core/vault/index.ts';
import { fieldsOf, type ReadTransaction, signRow, type Transaction, verifyRow } from '../../../stores/index.ts';
import { TableReader } from '../../table-reader.ts';
import type { Platform } from '../balance-platforms/contract.ts';
import type { Children, Range, ResourceKind, ResourceRecord, StoredResource } from '../resource.ts';
import * as sql from './statements.ts';
import { balancePlatforms } from './tables.ts';

/** Every lookup by id also requires the platform. */
export class ResourceReader<T extends ReadTransaction = ReadTransaction> extends TableReader<T> {
  async findPlatform(platform: string): Promise<Platform | undefined> {
    const [row] = await this.tx.query(sql.findPlatform, [platform]);
    return row && platformOf(verifyRow(this.integrity, balancePlatforms, row));
  }

  async findResource<R extends ResourceRecord>(
    kind: ResourceKind<R>,
    platform: string,
    id: string,
  ): Promise<StoredResource<R> | undefined> {
    const [row] = await this.tx.query(kind.statements.find, [platform, id]);
    return row && this.#verified(kind, row);
  }

  /** Sorted by creation. */
  async listResources<R extends ResourceRecord>(
    { kind, platform, parent }: Children<R>,
    { offset, limit, status }: Range,
  ): Promise<readonly StoredResource<R>[]> {
    const { list, listWithStatus } = kind.statements;
    const rows =
      status === undefined
        ? await this.tx.query(list, [platform, parent, limit, offset])
        : await this.tx.query(listWithStatus, [platform, parent, status, limit, offset]);
    return rows.map((row) => this.#verified(kind, row));
  }

  /** Throws `RowAltered`. */
  #verified<R extends ResourceRecord>(kind: ResourceKind<R>, row: sql.ResourceRow): StoredResource<R> {
    return resourceOf(kind, verifyRow(this.integrity, kind.table, row));
  }

  /** The id of the oldest account that is not closed. */
  async findOpen({ kind, platform, parent }: Children): Promise<string | undefined> {
    return (await this.tx.query(kind.statements.findOpen, [platform, parent]))[0]?.id;
  }

  /** Any resource of the kind, of any platform. */
  async findAny<R extends ResourceRecord>(kind: ResourceKind<R>): Promise<StoredResource<R> | undefined> {
    const [row] = await this.tx.query(kind.statements.findAny, []);
    return row && resourceOf(kind, row);
  }
}

export class ResourceRepository extends ResourceReader<Transaction> {
  readonly #changes: StoredResource[] = [];

  /** Each new state that this transaction has written, in the order of writing. */
  get changes(): readonly StoredResource[] {
    return this.#changes;
  }

  /** Returns false, and writes nothing, where its number was issued before. */
  async addResource<R extends ResourceRecord>(resource: StoredResource<R>): Promise<boolean> {
    const { kind, platform, revision, record, otherFingerprint } = resource;
    if (otherFingerprint !== undefined && (await this.tx.query(sql.findIssued, [otherFingerprint])).length > 0)
      return false;
    const text = JSON.stringify(record);
    const state = [record.status, revision, text, this.#sign(resource, text)];
    const row = [platform, record.id, parentOf(resource), ...state, ...numberValues(resource)];
    row.push(...payloadValues(resource));
    if ((await this.tx.execute(kind.statements.add, row)) === 0) return false;
    this.#changes.push(resource);
    return true;
  }

  /** Replaces the state whose revision is one less. */
  async changeResource<R extends ResourceRecord>(resource: StoredResource<R>): Promise<void> {
    const { kind, platform, revision, record } = resource;
    const text = JSON.stringify(record);
    const written = await this.tx.execute(kind.statements.change, [
      platform,
      record.id,
      parentOf(resource),
      record.status,
      revision,
      text,
      this.#sign(resource, text),
      ...payloadValues(resource),
      revision - 1,
    ]);
    // The transaction is serializable: no other one changes what it has read.
    if (written !== 1) throw new Error(`${kind.name}: the stored revision is not ${revision - 1}`);
    this.#changes.push(resource);
  }

  #sign(resource: StoredResource, text: string): string | null {
    const { kind, platform, revision, record } = resource;
    const { id, status } = record;
    const row = { balance_platform: platform, id, parent_id: parentOf(resource), status, revision, record: text };
    return signRow(this.integrity, kind.table, row);
  }
}

export function platformOf(row: sql.PlatformRow): Platform {
  const { balancePlatform: id, company, description, status, timeZone } = fieldsOf(row);
  return { id, company, description, status: status as Platform['status'], timeZone };
}

function resourceOf<R extends ResourceRecord>(kind: ResourceKind<R>, row: sql.ResourceRow): StoredResource<R> {
  return {
    kind,
    platform: row.balance_platform,
    revision: row.revision,
    record: JSON.parse(row.record),
    ...(row.number_fingerprint !== undefined && { fingerprint: row.number_fingerprint }),
    sealed: sealedOf(row),
  };
}

/** Undefined for a resource without sealed members. */
function sealedOf({ key_id, data_key, sealed_number, sealed_payload }: sql.ResourceRow): Sealed | undefined {
  if (key_id == null || data_key == null) return undefined;
  return {
    keyId: key_id,
    dataKey: data_key,
    number: sealed_number ?? undefined,
    payload: sealed_payload ?? undefined,
  };
}

/** The id of the parent, which may be the platform. */
function parentOf<R extends ResourceRecord>({ kind, platform, record }: StoredResource<R>): string {
  return kind.parent?.idOf(record) ?? platform;
}

/** The values of the columns of a sealed payload; none for a kind without one. */
function payloadValues({ kind, sealed }: StoredResource): readonly (string | null)[] {
  if (!kind.sealedPayload) return [];
  return [sealed?.keyId ?? null, sealed?.dataKey ?? null, sealed?.payload ?? null];
}

/** The values of the columns of a sealed number; none for a kind without one. */
function numberValues({ fingerprint, sealed }: StoredResource): readonly (string | null)[] {
  return fingerprint === undefined || sealed === undefined
    ? []
    : [fingerprint, sealed.keyId, sealed.dataKey, sealed.number ?? null, sealed.payload ?? null];
}
