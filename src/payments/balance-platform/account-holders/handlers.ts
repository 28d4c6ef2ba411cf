/** Creates, returns, updates and lists account holders (specification, section 4). */
import { type Infer, type Input, Problem, throwIssues } from '../../../core/contract/index.ts';
import type { Vault } from '../../../core/vault/index.ts';
import { bindHandlers, type Handler } from '../../../stores/index.ts';
import { balanceAccounts } from '../balance-accounts/kind.ts';
import { withEvents } from '../events.ts';
import { readPage } from '../list.ts';
import { invalid, platformProblems } from '../problems.ts';
import { readOnlyIssues } from '../read-only.ts';
import { requireActivePlatform } from '../require-active.ts';
import type { Resource, StoredResource } from '../resource.ts';
import {
  change,
  checkIfMatch,
  checkTransition,
  create,
  emptyToUndefined,
  eTagOf,
  omitUndefined,
} from '../save-resource.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import type { askedCapability, capability } from './contract.ts';
import * as contract from './contract.ts';
import { accountHolders } from './kind.ts';
import { openHolder, sealHolder } from './secrets.ts';

export const createAccountHolder = withEvents<typeof contract.createAccountHolder>(
  async ({ input, caller }, resources, { ids, vault }) => {
    const platform = await requireTenantPlatform(caller, resources, input.balancePlatform);
    requireActivePlatform(platform);
    const record = {
      ...input,
      balancePlatform: platform.id,
      capabilities: grantCapabilities(input.capabilities, undefined),
      id: ids.prefixedId('AH'),
      metadata: emptyToUndefined(input.metadata),
      status: 'active',
      timeZone: input.timeZone ?? platform.timeZone,
    } as const;
    throwIssues(readOnlyIssues(record, { status: input.status }));
    const holder = sealHolder({ kind: accountHolders, platform: platform.id, record }, vault);
    return toResponse(await create(holder, resources), vault);
  },
);

const getAccountHolder: Handler<typeof contract.getAccountHolder> = async ({ input, caller }, tx, { vault }) =>
  toResponse(await findForTenant(accountHolders, input.id, caller, tx.repository(ResourceReader)), vault);

const updateAccountHolder = withEvents<typeof contract.updateAccountHolder>(
  async ({ input, caller }, resources, { vault }) => {
    const { id, ifMatch, sameId, balancePlatform, capabilities, legalEntityId, metadata, ...changes } = input;
    const before = await findForTenant(accountHolders, id, caller, resources);
    checkIfMatch(ifMatch, before);
    await requireTenantPlatform(caller, resources, balancePlatform);
    checkTransition(before, changes.status);
    throwIssues(readOnlyIssues({ ...openHolder(before, vault), sameId: id }, { sameId, legalEntityId }));
    await checkAccounts(before, input, resources);
    const after = await change(
      before,
      {
        ...omitUndefined(changes),
        capabilities: grantCapabilities(capabilities, before.record.capabilities),
        description: emptyToUndefined(changes.description ?? before.record.description),
        metadata: emptyToUndefined(metadata ?? before.record.metadata),
      },
      resources,
    );
    return toResponse(after, vault);
  },
);

const listAccountHolders: Handler<typeof contract.listAccountHolders> = async ({ input, caller }, tx, { vault }) => {
  const resources = tx.repository(ResourceReader);
  const { id: platform } = await requireTenantPlatform(caller, resources, input.id);
  const children = { kind: accountHolders, platform, parent: platform } as const;
  const { items, hasNext, hasPrevious } = await readPage(children, input, resources);
  return { accountHolders: items.map((item) => openHolder(item, vault)), hasNext, hasPrevious };
};

function toResponse(holder: StoredResource<contract.AccountHolder>, vault: Vault) {
  return { ...openHolder(holder, vault), eTag: eTagOf(holder) };
}

/** Closing requires closed balance accounts; the primary account must belong to the holder and not be closed. */
async function checkAccounts(
  { platform, record }: StoredResource<contract.AccountHolder>,
  { status, primaryBalanceAccount }: Input<typeof contract.updateAccountHolder>,
  resources: ResourceRepository,
): Promise<void> {
  const accounts = { kind: balanceAccounts, platform, parent: record.id } as const;
  if (status === 'closed' && (await resources.findOpen(accounts)) !== undefined)
    throw new Problem(platformProblems.holderInUse);
  if (primaryBalanceAccount === undefined) return;
  const account = await resources.findResource(balanceAccounts, platform, primaryBalanceAccount);
  if (account?.record.accountHolderId !== record.id || account.record.status === 'closed')
    throwIssues([invalid(['primaryBalanceAccount'])]);
}

export const accountHolderResource = Object.freeze({
  kind: accountHolders,
  handlers: bindHandlers(contract.operations, {
    createAccountHolder,
    getAccountHolder,
    updateAccountHolder,
    listAccountHolders,
  }),
}) satisfies Resource;

type RequestedCapability = Infer<typeof askedCapability>;
type Capability = Infer<typeof capability>;
type Capabilities = Readonly<Record<string, Capability>>;

/** Capabilities that the request does not name stay as they are. */
function grantCapabilities(
  requested: Readonly<Record<string, RequestedCapability>> | undefined,
  before: Capabilities | undefined,
): Capabilities | undefined {
  if (requested === undefined) return before;
  const granted = Object.entries(requested).map(([name, each]) => [name, grant(each, before?.[name])] as const);
  return { ...before, ...Object.fromEntries(granted) };
}

function grant(input: RequestedCapability, before: Capability | undefined): Capability {
  const requested = input.requested ?? before?.requested ?? true;
  const requestedLevel = input.requestedLevel ?? before?.requestedLevel ?? 'notApplicable';
  return {
    allowed: requested,
    allowedLevel: requested ? requestedLevel : 'notApplicable',
    enabled: input.enabled ?? before?.enabled ?? true,
    requested,
    requestedLevel,
    verificationStatus: 'valid',
  };
}
