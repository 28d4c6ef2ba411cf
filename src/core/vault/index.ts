/** Data at rest: sealing, fingerprints, aliases, key rings, and keys wrapped by a key management service. */
export { createWrapping } from './data-key.ts';
export { deriveKey, fingerprintOf } from './derive.ts';
export * from './key-file.ts';
export { isClear, type OtherState, type Purpose, parseKeyLines } from './key-lines.ts';
export * from './key-provider.ts';
export {
  createKeyFile,
  freshKeys,
  type KeyRing,
  KeyRingError,
  keyFileText,
  type OtherKey,
  parseKeyRing,
} from './key-ring.ts';
export { type Sealed, type SealScope, type Vault, VaultUnavailable, type Wrapping } from './ports.ts';
export * from './seal.ts';
export * from './transit/keys.ts';
export * from './vault.ts';
