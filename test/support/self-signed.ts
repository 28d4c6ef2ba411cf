/** Certificates for servers of a test on this machine. */
import { createSelfSigned, type SelfSigned } from '../../src/core/lib/self-signed.ts';

const dayMs = 86_400_000;

/** Valid for a day before and after now, for the name and 127.0.0.1. */
export function selfSignedFor(name = 'localhost'): SelfSigned {
  return createSelfSigned({
    commonName: name,
    names: [name],
    addresses: ['127.0.0.1'],
    from: new Date(Date.now() - dayMs),
    until: new Date(Date.now() + dayMs),
  });
}
