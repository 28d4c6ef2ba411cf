/** Signs rows that are stored in the clear, and verifies them where they decide or are shown. */

import { hash } from 'node:crypto';
import { BoundedMap, Unavailable } from '../core/lib/index.ts';

/** A row was changed outside of this program, or written without a MAC. */
export class RowAltered extends Unavailable {
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

interface VerifiedRow {
  readonly table: string;
  readonly fields: MacFields;
}

/** So many verified rows are remembered: 20 MB, if they are the largest. */
const verifiedMax = 16_384;
/** SHA-256 in base64url. A MAC with a pin goes on with a dot and the pin. */
export const macLength = 43;

/** Until its keys are loaded it signs and verifies nothing. */
export class RowIntegrity {
  #keys: IntegrityKeys | undefined;
  /** Rows whose MAC was right, by their MAC. Comparing them costs a tenth of a MAC. */
  readonly #verified = new BoundedMap<string, VerifiedRow>(verifiedMax);
  #report: (row: AlteredRow) => void = () => {};
  #findPin: () => string = () => '';

  use(keys: IntegrityKeys): void {
    if (keys.inner !== this.#keys?.inner) this.#verified.clear();
    this.#keys = keys;
  }

  get hasKeys(): boolean {
    return this.#keys !== undefined;
  }

  /** Calls `report` for each altered row that is refused. */
  listen(report: (row: AlteredRow) => void): void {
    this.#report = report;
  }

  /** `findPin`: names the last entry of the audit log that this process knows; empty for none. Each new MAC covers it and shows it. */
  pin(findPin: () => string): void {
    this.#findPin = findPin;
  }

  sign(table: string, fields: MacFields): string | null {
    return this.#keys === undefined ? null : macOf(this.#keys, table, fields, this.#findPin());
  }

  /** True where there are no keys, so that there are no MACs. */
  isRight(table: string, fields: MacFields, mac: string | null): boolean {
    return this.#keys === undefined || (mac !== null && mac === macOf(this.#keys, table, fields, pinIn(mac)));
  }

  /** Throws `RowAltered`. The first field is the tenant. */
  verify(table: string, id: string, fields: MacFields, mac: string | null): void {
    if (this.#keys === undefined) return;
    if (mac !== null && this.#wasVerified(table, fields, mac)) return;
    if (mac !== null && mac === macOf(this.#keys, table, fields, pinIn(mac))) {
      this.#verified.set(mac, { table, fields });
      return;
    }
    this.refuse({ table, tenant: String(fields[0]), id });
  }

  /** Reports the row, and throws `RowAltered`. For columns that have no MAC, and are compared with what has one. */
  refuse(row: AlteredRow): never {
    this.#report(row);
    throw new RowAltered(`a row of ${row.table} was changed outside of this program`);
  }

  /** The same MAC over the same fields of the same table: nothing was changed since. */
  #wasVerified(table: string, fields: MacFields, mac: string): boolean {
    const known = this.#verified.get(mac);
    if (known === undefined) return false;
    const { fields: before } = known;
    if (known.table !== table || before.length !== fields.length) return false;
    for (let at = 0; at < fields.length; at += 1) if (before[at] !== fields[at]) return false;
    return true;
  }
}

/**
 * A hash of a hash, each under a key of its own, in the way of NMAC (Bellare, Canetti, Krawczyk 1996). The outer one hides the state
 * of the inner one, so that nothing can be appended. `createHmac` takes twice as long.
 */
function macOf({ inner, outer }: IntegrityKeys, table: string, fields: MacFields, pin: string): string {
  // No table has a blank in its name.
  const subject = pin === '' ? table : `${table} ${pin}`;
  let text = `${inner}${subject.length}:${subject}`;
  for (const field of fields) {
    if (field === null) text += 'null;';
    else {
      const value = String(field);
      text += `${value.length}:${value}`;
    }
  }
  const mac = hash('sha256', outer + hash('sha256', text, 'base64url'), 'base64url');
  return pin === '' ? mac : `${mac}.${pin}`;
}

function pinIn(mac: string): string {
  return mac.slice(macLength + 1);
}
