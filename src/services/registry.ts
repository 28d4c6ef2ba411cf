/** The credentials of callers, and what they may name: merchant accounts and balance platforms. */
import type { KeyObject } from 'node:crypto';
import type { AuditedWrite } from '../audit/audited-write.ts';
import { type CredentialRegistry, createCredentialRegistry } from '../callers/credentials/credential-registry.ts';
import type { CredentialRules } from '../callers/credentials/credential-rules.ts';
import type { Clock } from '../lib/clock-and-ids.ts';
import type { RowIntegrity } from '../store/row-integrity.ts';
import type { Engine } from '../store/sql/engine.ts';
import { createPlatformRegistry, type PlatformRegistry, platformRule } from './balance-platform/store/registry.ts';
import {
  createMerchantAccountRegistry,
  type MerchantAccountRegistry,
  merchantAccountRule,
} from './recurring/store/merchant-accounts.ts';

export interface Registry extends CredentialRegistry, MerchantAccountRegistry, PlatformRegistry {}

/** A grant of another service is a line here. */
export const credentialRules: CredentialRules = Object.freeze<CredentialRules>({
  tenantNoun: 'company',
  realm: 'Company',
  grants: Object.freeze([merchantAccountRule, platformRule]),
});

export function createRegistry(
  engine: Engine,
  pepper: KeyObject,
  clock: Clock,
  rules = credentialRules,
  write?: AuditedWrite,
  integrity?: RowIntegrity,
): Registry {
  return Object.freeze<Registry>({
    ...createCredentialRegistry(engine, pepper, clock, rules, write, integrity),
    ...createMerchantAccountRegistry(engine, clock),
    ...createPlatformRegistry(engine, clock, integrity),
  });
}
