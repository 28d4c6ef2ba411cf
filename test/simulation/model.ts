/** The reference model: what requests ought to do, written without the code under test. Each resource has a state of its own. */
export class Model {
  readonly #states = new Map<unknown, unknown>();

  /** The state that `create` makes; created when it is first asked for. */
  state<T>(create: () => T): T {
    if (!this.#states.has(create)) this.#states.set(create, create());
    return this.#states.get(create) as T;
  }
}
