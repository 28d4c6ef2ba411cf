/** What shares the thread between callers. */

/** The place of one request among those of its caller. */
export interface Slot {
  /** Undefined where it is the turn of the request now, else it resolves then. Called once. */
  acquire(): Promise<void> | undefined;
  /** The request is answered. Called once. */
  release(): void;
}

export interface Turns {
  /** `caller`: who shares a turn. Throws a Problem where the caller has too many requests under way. */
  admit(caller: string): Slot;
}
