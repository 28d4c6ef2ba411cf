/** `triglyph credential list`: prints credentials without their secrets. */

import type { ListedCredential } from '../../callers/credentials/credential-list.ts';
import { clock } from '../../lib/clock.ts';
import { platformRule } from '../../services/balance-platform/store/registry.ts';
import { merchantAccountRule } from '../../services/recurring/store/merchant-accounts.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { withBackend } from '../with-backend.ts';

export async function listCredentials({ json }: { readonly json?: boolean }): Promise<void> {
  const credentials = await withBackend(({ registry }) => registry.listCredentials());
  if (json) print(JSON.stringify(credentials.map(toJson)));
  else if (credentials.length === 0) print('There is no credential yet.');
  else printAll(credentials.map((each) => formatCredential(each, clock.now())));
}

/** Names the tenant and the grants of the built-in services as callers do. Other grants keep their names, below `grants`. */
function toJson({ id, tenant: company, kind, username, roles, grants, ...rest }: ListedCredential) {
  const { [merchantAccountRule.name]: merchantAccounts = [], [platformRule.name]: platforms = [], ...others } = grants;
  const own = Object.keys(others).length === 0 ? {} : { grants: others };
  return { id, company, kind, username, roles, merchantAccounts, balancePlatform: platforms[0], ...own, ...rest };
}

function formatCredential(credential: ListedCredential, now: number): string {
  const { id, tenant, kind, username, roles, grants, requiresKey, createdAt, lastUsedAt } = credential;
  return [
    id,
    tenant,
    kind,
    username ?? '-',
    roles.join(',') || '-',
    Object.values(grants).flat().join(',') || '-',
    formatMinute(createdAt),
    requiresKey ? 'key required' : '-',
    ...limitsOf(credential),
    lastUsedAt === undefined ? 'not used' : `used ${formatMinute(lastUsedAt)}`,
    stateOf(credential, now),
  ].join('  ');
}

/** What most credentials lack has no column. */
function limitsOf({ readOnly, networks, certificates }: ListedCredential): readonly string[] {
  return [
    ...(readOnly ? ['read only'] : []),
    ...(networks === undefined ? [] : [`from ${networks.join(',')}`]),
    // Enough to tell certificates apart; JSON has all of it.
    ...(certificates === undefined ? [] : [`certificate ${certificates.map((each) => each.slice(0, 12)).join(',')}`]),
  ];
}

function stateOf({ revokedAt, expiresAt, altered }: ListedCredential, now: number): string {
  if (altered) return 'ALTERED in the database: refused';
  if (revokedAt !== undefined) return `revoked ${formatMinute(revokedAt)}`;
  if (expiresAt === undefined) return 'live';
  return expiresAt <= now ? `expired ${formatMinute(expiresAt)}` : `expires ${formatMinute(expiresAt)}  live`;
}
