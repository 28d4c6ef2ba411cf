/** What a service shows of its own state: facts in words of its own, which the console does not know. */

export interface PanelFact {
  readonly name: string;
  readonly value: string;
  /** Whether an operator should look at it. */
  readonly needsAttention?: boolean;
}

export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly doc: string;
  readonly read: () => Promise<readonly PanelFact[]>;
}
