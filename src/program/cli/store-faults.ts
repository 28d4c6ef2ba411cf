/** Store checks before serving: a server needs a credential, and none of the demo's, which are public. */
import { type Backend, needsDurableRecords, noUpstreams, openBackend, type UpstreamPlan } from '../../backend/index.ts';
import type { Config } from '../../config/index.ts';
import { formatMinute } from '../../core/lib/index.ts';
import { freshKeys, parseKeyRing } from '../../core/vault/index.ts';
import { demoCredentials } from '../testing/demo/published.ts';
import { explain } from './command-error.ts';
import { projectServices, servesBuiltIn } from './project.ts';
import { servedServices } from './project-upstreams.ts';

/** What is wrong with the store: what prevents serving it, and what will. */
interface StoreReport {
  readonly faults: readonly string[];
  /** What prevents no start, and refuses writes. */
  readonly losses: readonly string[];
  readonly warnings: readonly string[];
}

export async function storeFaults(config: Config, plan = noUpstreams): Promise<readonly string[]> {
  return (await inspectStore(config, plan)).faults;
}

/** Opens the store like a command, without changing it. Servers may be running. Without a `plan`, nothing that depends on upstreams is checked. */
export async function inspectStore(config: Config, plan: UpstreamPlan | undefined): Promise<StoreReport> {
  try {
    // A configuration without keys gets throwaway keys: credentials can be read without the right ones.
    const keys = config.keys === undefined ? { keys: parseKeyRing(freshKeys()) } : {};
    const backend = await openBackend(config, { exclusive: false, ...keys }, projectServices());
    try {
      const clockFault = await backend.clockCheck.findFault();
      const isDurable = plan !== undefined && needsDurableRecords(plan, servedServices());
      if (isDurable) await backend.records?.requireDurability();
      const ofCredentials = plan === undefined ? [] : await credentialFaults(backend, plan);
      const faults = [...(clockFault === undefined ? [] : [clockFault]), ...ofCredentials];
      return { faults, losses: await findLosses(backend, isDurable), warnings: await expiryWarnings(backend) };
    } finally {
      await backend.close();
    }
  } catch (thrown) {
    return { faults: explain(thrown), losses: [], warnings: [] };
  }
}

async function findLosses({ records }: Backend, isDurable: boolean): Promise<readonly string[]> {
  try {
    const reason = isDurable ? await records?.findLoss?.() : undefined;
    if (reason !== undefined)
      return [
        `The store in Redis is not the one that this gateway knows: ${reason}. Look why, then \`triglyph records accept-loss\`.`,
      ];
    await records?.check();
    return [];
  } catch (thrown) {
    return explain(thrown);
  }
}

const warnedMs = 30 * 86_400_000;

/** A credential that has expired stays until it is revoked. */
async function expiryWarnings({ registry, context: { clock } }: Backend): Promise<readonly string[]> {
  const now = clock.now();
  return (await registry.listCredentials()).flatMap(({ id, tenant, expiresAt, revokedAt }) => {
    if (expiresAt === undefined || revokedAt !== undefined || expiresAt > now + warnedMs) return [];
    const verb = expiresAt <= now ? 'has expired' : 'expires';
    return `The credential ${id} of ${tenant} ${verb} at ${formatMinute(expiresAt)}: renew it with triglyph credential edit, or revoke it.`;
  });
}

export async function credentialFaults(
  { registry, credentials, records }: Backend,
  { decidesRights }: UpstreamPlan,
): Promise<readonly string[]> {
  // The credentials of the store are not used, or there are none.
  if (decidesRights || records !== undefined) return [];
  const active = (await registry.listCredentials()).filter(({ revokedAt }) => revokedAt === undefined);
  if (active.length === 0)
    return [
      `The store has no credential, so every request would be refused: ${servesBuiltIn() ? '`triglyph credential merchant-account add`, then ' : ''}\`triglyph credential add\`.`,
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
