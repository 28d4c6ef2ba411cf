/** The built-in services as the tests of the engine use them, without a whole backend. */
import type { KeyObject } from 'node:crypto';
import type { AuditedWrite } from '../../src/access/audit/audited-write.ts';
import { type CredentialRegistry, createCredentialRegistry } from '../../src/access/credentials/credential-registry.ts';
import { type BackendOptions, openBackend } from '../../src/backend/backend.ts';
import { credentialRulesOf, settingGroupsOf, webhookFormatsOf } from '../../src/backend/compose-services.ts';
import { createService, type GatewayService } from '../../src/backend/define-service.ts';
import * as config from '../../src/config/config.ts';
import type { Mode } from '../../src/config/setting.ts';
import type { VariableSources } from '../../src/config/variable-sources.ts';
import type { Clock } from '../../src/core/lib/clock-and-ids.ts';
import { platformImplementation } from '../../src/payments/balance-platform/index.ts';
import { createPlatformRegistry, type PlatformRegistry } from '../../src/payments/balance-platform/store/registry.ts';
import { builtInServices } from '../../src/payments/index.ts';
import { implementRecurring, type RecurringDependencies } from '../../src/payments/recurring/index.ts';
import {
  createMerchantAccountRegistry,
  type MerchantAccountRegistry,
} from '../../src/payments/recurring/store/merchant-accounts.ts';
import type { Implementation } from '../../src/stores/handlers.ts';
import type { RowIntegrity } from '../../src/stores/row-integrity.ts';
import type { Engine } from '../../src/stores/sql/engine.ts';

export const webhookFormats = webhookFormatsOf(builtInServices);
export const settingGroups = settingGroupsOf(builtInServices);

/** A service whose handlers need nothing but the parts of a request. */
export function implementationOf({ service, handlers, olderVersions }: GatewayService): Implementation {
  if (handlers === undefined) throw new TypeError(`${service.name} binds its handlers for each store`);
  return { service, handlers, olderVersions };
}

export function implementServices(dependencies: RecurringDependencies): readonly Implementation[] {
  return [implementRecurring(dependencies), platformImplementation];
}

/** A service for a gateway, of an implementation. */
export function serviceOf({ service: contract, handlers, olderVersions }: Implementation): GatewayService {
  return createService({ contract, olderVersions }, handlers);
}

/** Credentials, merchant accounts and balance platforms together. */
export interface Registry extends CredentialRegistry, MerchantAccountRegistry, PlatformRegistry {}

export function createRegistry(
  engine: Engine,
  pepper: KeyObject,
  clock: Clock,
  rules = credentialRulesOf(builtInServices),
  write?: AuditedWrite,
  integrity?: RowIntegrity,
): Registry {
  return {
    ...createCredentialRegistry(engine, pepper, clock, rules, write, integrity),
    ...createMerchantAccountRegistry(engine, clock),
    ...createPlatformRegistry(engine, clock, integrity),
  };
}

/** The configuration of a server with the built-in services. */
export function readConfig(mode: Mode, given?: config.Variables | VariableSources): config.Config {
  return config.readConfig(mode, given, settingGroups);
}

export function inspectConfig(mode: Mode, given: config.Variables | VariableSources): config.ConfigReport {
  return config.inspectConfig(mode, given, settingGroups);
}

/** The backend of a server with the built-in services. */
export function openBuiltIn(of: config.Config, options: BackendOptions) {
  return openBackend(of, options, builtInServices);
}
