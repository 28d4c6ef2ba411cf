/** Adds services that are not part of the program to a set of services. */

import { createCredentialRegistry } from '../callers/credentials/credential-registry.ts';
import type { CredentialRules, GrantRule } from '../callers/credentials/credential-rules.ts';
import type { Service } from '../contract/service.ts';
import type { Implementation } from '../gateway/implement.ts';
import { WebhookFormats } from '../jobs/webhooks/format.ts';
import type { TableOwner } from '../store/sql/create-tables.ts';
import { engineTables } from './engine-tables.ts';
import type { ServiceSet, Services } from './service-set.ts';

/** A service with its handlers and its tables. */
export interface OwnService {
  readonly kind: 'service';
  /** @internal */
  readonly service: Service;
  /** @internal */
  readonly handlers: Implementation['handlers'];
  /**
   * The upstream that answers its operations without a handler. Absent where every operation has one.
   * @internal
   */
  readonly answeredBy?: string | undefined;
  /** @internal */
  readonly olderVersions: Implementation['olderVersions'];
  /**
   * Its tables, under its name.
   * @internal
   */
  readonly tables: TableOwner;
}

/**
 * The set that a server without built-in services begins with.
 * @internal
 */
export const noServices: ServiceSet = Object.freeze<ServiceSet>({
  services: [],
  credentialRules: { tenantNoun: 'tenant', realm: 'Tenant', grants: [] },
  owners: [engineTables],
  sharedObjects: () => [webhookFormats],
  compose: (_config, { engine, pepper, integrity, context, credentialRules, auditedWrite }) => ({
    implementations: [],
    webhookFormats,
    registry: createCredentialRegistry(engine, pepper, context.clock, credentialRules, auditedWrite, integrity),
    summarizeEvent() {
      throw new TypeError('no service has events');
    },
    prepareJobs: async () => {},
    createJobHandlers: async () => [],
    keysOpenStoredData: async () => true,
    observe: () => {},
  }),
});

const webhookFormats = new WebhookFormats([]);

/**
 * Returns the set with the services added. Credentials may have the grants that their contracts name.
 * @internal
 */
export function addServices<S extends Services>(set: ServiceSet<S>, own: readonly OwnService[]): ServiceSet<S> {
  const credentialRules: CredentialRules = {
    ...set.credentialRules,
    grants: [...set.credentialRules.grants, ...grantRules(own, set.credentialRules.grants)],
  };
  return Object.freeze<ServiceSet<S>>({
    services: [...set.services, ...own.flatMap(({ service, olderVersions }) => [...olderVersions, service])],
    credentialRules,
    owners: [...set.owners, ...own.map(({ tables }) => tables)],
    sharedObjects: set.sharedObjects,
    compose(config, dependencies) {
      const services = set.compose(config, { ...dependencies, credentialRules });
      return Object.freeze({ ...services, implementations: [...services.implementations, ...own] });
    },
  });
}

/** A rule for each grant that the contracts name and no service has declared. Any tenant may hold any value of it. */
function grantRules(own: readonly OwnService[], declared: readonly GrantRule[]): readonly GrantRule[] {
  const rules = new Map<string, GrantRule>();
  for (const { service } of own)
    for (const { name, role } of grantsOf(service))
      if (!declared.some((each) => each.name === name))
        rules.set(name, { name, noun: name, role, option: { flags: `--${name} <value>`, doc: `a ${name}` } });
  return [...rules.values()];
}

function grantsOf({ operations }: Service) {
  return [...operations.values()].flatMap(({ role, grants }) => grants.map(({ grant: { name } }) => ({ name, role })));
}
