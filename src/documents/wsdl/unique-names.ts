/** Makes names unique: the wanted one, or the same with a number behind it. */
export class UniqueNames {
  readonly #taken: Set<string>;
  /** The last number behind a name. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Returns a name that has not been returned before. */
  take(wanted: string): string {
    let name = wanted;
    let number = this.#numbers.get(wanted) ?? 1;
    while (this.#taken.has(name)) {
      number += 1;
      name = `${wanted}${number}`;
    }
    this.#numbers.set(wanted, number);
    this.#taken.add(name);
    return name;
  }
}
