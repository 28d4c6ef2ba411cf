/** Reads members of a configuration whose types are not checked, and collects what is wrong with them. */
import { didYouMean } from '../../config/index.ts';
import { isMembers, type Members } from '../../core/lib/index.ts';

/** A header that the configuration may name. */
export const headerName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

/** The faults of one object; each begins with the place of the member. */
export class MemberReader {
  readonly #members: Members;
  readonly #place: string;
  readonly #faults: string[];

  constructor(members: Members, place: string, faults: string[]) {
    this.#members = members;
    this.#place = place;
    this.#faults = faults;
  }

  /** Reports members with other names. */
  allow(...known: readonly string[]): void {
    for (const name of Object.keys(this.#members))
      if (!known.includes(name)) this.fault(name, `is not known: ${didYouMean(name, known)}`);
  }

  has(name: string): boolean {
    return this.#members[name] !== undefined;
  }

  value(name: string): unknown {
    return this.#members[name];
  }

  /** Returns undefined for a member that is absent, and for one that is no such text. */
  text(name: string, { pattern = /./s, hint = 'is not a text' } = {}): string | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.fault(name, hint);
    return undefined;
  }

  /** Returns the name of a header as it is written. */
  header(name: string): string | undefined {
    return this.text(name, { pattern: headerName, hint: 'is not the name of a header' });
  }

  /** Returns a list of statuses within a range and of texts; undefined where it is absent. */
  statuses(
    name: string,
    [min, max]: readonly [number, number],
    hint: string,
  ): readonly (string | number)[] | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    const isKnown = (each: unknown): each is string | number =>
      typeof each === 'string' ? each !== '' : Number.isInteger(each) && Number(each) >= min && Number(each) <= max;
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (!Array.isArray(value) || !list.every(isKnown)) this.fault(name, hint);
    return list.filter(isKnown);
  }

  choice<const V extends string>(name: string, values: readonly V[], standard: V): V {
    const value = this.#members[name];
    if (value === undefined) return standard;
    const found = values.find((each) => each === value);
    if (found === undefined) this.fault(name, `is ${JSON.stringify(value)}: give one of ${values.join(', ')}`);
    return found ?? standard;
  }

  boolean(name: string): boolean {
    const value = this.#members[name];
    if (value !== undefined && typeof value !== 'boolean') this.fault(name, 'is neither true nor false');
    return value === true;
  }

  wholeNumber(name: string, min: number, max: number, standard: number): number {
    const value = this.#members[name];
    if (value === undefined) return standard;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    this.fault(name, `is ${JSON.stringify(value)}: give a whole number from ${min} to ${max}`);
    return standard;
  }

  /** A reader of an object within this one; of an empty object where it is absent or none. */
  object(name: string): MemberReader {
    const value = this.#members[name];
    if (value !== undefined && !isMembers(value)) this.fault(name, 'is not an object');
    return new MemberReader(isMembers(value) ? value : {}, `${this.#place}.${name}`, this.#faults);
  }

  /** The names of the members of an object within this one. */
  names(name: string): readonly string[] {
    const value = this.#members[name];
    return isMembers(value) ? Object.keys(value) : [];
  }

  /** Reports a fault of a member, or of the object itself where the name is empty. */
  fault(name: string, text: string): void {
    this.#faults.push(
      `${name === '' ? this.#place : `${this.#place}.${name}`} ${text.replace(/[.?]?$/, (end) => end || '.')}`,
    );
  }
}
