/** The keys of all simulated processes. No fault touches them. */
import { createRequestHasher } from '../../src/core/idempotency/request-hash.ts';
import { parseKeyRing } from '../../src/core/vault/key-ring.ts';
import { createVault } from '../../src/core/vault/vault.ts';

const ring = parseKeyRing(`k-test:${'11'.repeat(32)}\nindex:${'22'.repeat(32)}\npepper:${'33'.repeat(32)}\n`);
export const vault = createVault(ring);
export const requestHasher = createRequestHasher(ring.index, 'test');
