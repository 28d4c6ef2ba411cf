/** Store checks before serving: a server needs a credential, and none of the demo's, which are public. */
import { type Backend, openBackend } from '../app/backend.ts';
import type { Config } from '../app/config.ts';
import { noUpstreams, type UpstreamPlan } from '../app/upstreams/plan.ts';
import { demoCredentials } from '../demo/published.ts';
import { freshKeys, parseKeyRing } from '../vault/key-ring.ts';
import { explain } from './command-error.ts';
import { ownServices } from './project.ts';

/** Opens the store like a command, without changing it, and returns what prevents serving it. Servers may be running. */
export async function storeFaults(config: Config, plan = noUpstreams): Promise<readonly string[]> {
  try {
    // A configuration without keys gets throwaway keys: credentials can be read without the right ones.
    const keys = config.keys === undefined ? { keys: parseKeyRing(freshKeys()) } : {};
    const backend = await openBackend(config, { exclusive: false, ...keys }, ownServices());
    try {
      return await credentialFaults(backend, plan);
    } finally {
      await backend.close();
    }
  } catch (thrown) {
    return explain(thrown);
  }
}

export async function credentialFaults(
  { registry, credentials }: Backend,
  { decidesRights }: UpstreamPlan,
): Promise<readonly string[]> {
  // The credentials of the store are not used.
  if (decidesRights) return [];
  const active = (await registry.listCredentials()).filter(({ revokedAt }) => revokedAt === undefined);
  if (active.length === 0)
    return [
      'The store has no credential, so every request would be refused: `triglyph credential merchant-account add`, then `triglyph credential add`.',
    ];
  const faults: string[] = [];
  for (const { presented } of demoCredentials) {
    const { caller } = await credentials.verify(presented);
    if (caller !== undefined)
      faults.push(
        `The store accepts a credential of the demo, which is public: \`triglyph credential revoke ${caller.credential}\`.`,
      );
  }
  return faults;
}
