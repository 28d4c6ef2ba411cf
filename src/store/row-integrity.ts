/** Signs rows that are stored in the clear, and verifies them where they decide or are shown. */
import { hash } from 'node:crypto';

/** A row was changed outside of this program, or written without a MAC. */
export class RowAltered extends Error {
  override readonly name = 'RowAltered';
}

/** The columns that a MAC covers, in a fixed order. */
export type MacFields = readonly (string | number | null)[];

export interface IntegrityKeys {
  /** Two keys of 32 bytes, in hex. */
  readonly inner: string;
  readonly outer: string;
}

export interface AlteredRow {
  readonly table: string;
  readonly tenant: string;
  readonly id: string;
}

/** Until its keys are loaded it signs and verifies nothing. */
export class RowIntegrity {
  #keys: IntegrityKeys | undefined;
  #isEnforced = false;
  #report: (row: AlteredRow) => void = () => {};

  use(keys: IntegrityKeys, { isEnforced }: { readonly isEnforced: boolean }): void {
    this.#keys = keys;
    this.#isEnforced = isEnforced;
  }

  /** False while rows from before the MACs get theirs: nothing is verified until then. */
  get isEnforced(): boolean {
    return this.#isEnforced;
  }

  /** Calls `report` for each altered row that is refused. */
  listen(report: (row: AlteredRow) => void): void {
    this.#report = report;
  }

  sign(table: string, fields: MacFields): string | null {
    return this.#keys === undefined ? null : macOf(this.#keys, table, fields);
  }

  /** Throws `RowAltered`. The first field is the tenant. */
  verify(table: string, id: string, fields: MacFields, mac: string | null): void {
    if (!this.#isEnforced || this.#keys === undefined || mac === macOf(this.#keys, table, fields)) return;
    this.#report({ table, tenant: String(fields[0]), id });
    throw new RowAltered(`a row of ${table} was changed outside of this program`);
  }
}

/**
 * A hash of a hash, each under a key of its own, in the way of NMAC (Bellare, Canetti, Krawczyk 1996). The outer one hides the state
 * of the inner one, so that nothing can be appended. `createHmac` takes twice as long.
 */
function macOf({ inner, outer }: IntegrityKeys, table: string, fields: MacFields): string {
  let text = `${inner}${table.length}:${table}`;
  for (const field of fields) {
    if (field === null) text += 'null;';
    else {
      const value = String(field);
      text += `${value.length}:${value}`;
    }
  }
  return hash('sha256', outer + hash('sha256', text, 'base64url'), 'base64url');
}
