/** The gate of a gateway that shares nothing but its store: it knows nothing, so the journal is always asked. */
import type { Gate } from './ports.ts';

export const noGate: Gate = Object.freeze<Gate>({
  claim: async () => ({ kind: 'unknown' }),
  settle: async () => {},
  release: async () => {},
  close: async () => {},
});
