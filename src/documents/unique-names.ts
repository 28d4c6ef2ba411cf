/** Names of which each is given out once. */

/** Makes names unique: the wanted one, or the same with a number behind it. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The last number behind a name. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    for (const each of taken) this.#taken.add(this.keyOf(each));
  }

  isFree(name: string): boolean {
    return !this.#taken.has(this.keyOf(name));
  }

  /** Returns a name that has not been returned before. */
  take(wanted: string): string {
    let name = wanted;
    let number = this.#numbers.get(wanted) ?? 1;
    while (this.#taken.has(this.keyOf(name))) {
      number += 1;
      name = `${wanted}${number}`;
    }
    this.#numbers.set(wanted, number);
    this.#taken.add(this.keyOf(name));
    return name;
  }

  /** Two names with one key are one. The constructor calls it, too. */
  protected keyOf(name: string): string {
    return name;
  }
}

/** Makes names unique for generators, which ignore case and signs. */
export class StubNames extends UniqueNames {
  protected override keyOf(name: string): string {
    return name.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  }
}
