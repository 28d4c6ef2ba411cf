/** The port to the keys of a key file: in the clear, or wrapped by a key management service. */
import { freshKey, type KeyRing, parseKeyRing } from './key-ring.ts';

export interface KeyProvider {
  /** Returns the keys of a key file. Throws `KeyRingError`. */
  open(text: string): Promise<KeyRing>;
  /** Returns a new key as a key file has it. */
  create(): Promise<string>;
  /** Returns the same key as the provider would write it today. */
  renew(key: string): Promise<string>;
  /** Rejects while keys cannot be unwrapped. Running processes have them in memory. */
  check?(): Promise<void>;
  close?(): void;
}

/** The keys are in the file. */
export const clearKeys: KeyProvider = Object.freeze<KeyProvider>({
  open: async (text) => parseKeyRing(text),
  create: async () => freshKey(),
  renew: async (key) => key,
});
