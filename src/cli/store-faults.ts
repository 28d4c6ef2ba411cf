/** What must not be in the store of a server, or must be: the checks that a configuration alone cannot tell. */

import { type Backend, openBackend } from '../app/backend.ts';
import type { Config } from '../app/config.ts';
import { freshKeys, parseKeyRing } from '../vault/key-ring.ts';
import { explain } from './command-error.ts';
import { demoCredentials } from './demo/published.ts';

const noCredential =
  'There is no credential in the store, so nobody could call: `triglyph credential merchant-account add`, then `triglyph credential add`.';

const faultsIn = async ({ registry, credentials }: Backend): Promise<readonly string[]> => {
  const live = (await registry.listCredentials()).filter(({ revokedAt }) => revokedAt === undefined);
  if (live.length === 0) return [noCredential];
  const faults: string[] = [];
  for (const { shown } of demoCredentials) {
    const caller = await credentials.verify(shown);
    if (caller !== undefined)
      faults.push(
        `The store lets in a credential of the demo, which everyone knows: \`triglyph credential revoke ${caller.credential}\`.`,
      );
  }
  return faults;
};

/** Each with how to mend it; empty where the store may be served. Works beside a server. */
export const storeFaults = async (config: Config): Promise<readonly string[]> => {
  try {
    // Without keys, passing ones do: what is looked for first lies open in the store.
    const passing = config.keys === undefined ? { keys: parseKeyRing(freshKeys()) } : {};
    const room = await openBackend(config, { exclusive: false, ...passing });
    try {
      return await faultsIn(room);
    } finally {
      await room.close();
    }
  } catch (thrown) {
    return explain(thrown);
  }
};
