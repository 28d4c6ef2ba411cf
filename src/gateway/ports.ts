/** What the gateway needs beside the domain's ports: who the callers are. */
import type { Caller } from '../contract/canonical.ts';

/** A secret as a caller shows it. */
export type Shown =
  | { readonly kind: 'basic'; readonly username: string; readonly secret: string }
  | { readonly kind: 'apiKey'; readonly secret: string };

export interface Credentials {
  /** The caller behind a secret, or undefined; takes as long for an unknown one as for a wrong one. */
  verify(shown: Shown): Promise<Caller | undefined>;
}
