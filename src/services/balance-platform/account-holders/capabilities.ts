/** Capabilities of account holders: verification succeeds at once, so a requested capability is allowed. */

import type { Infer } from '../../../contract/schema.ts';
import type { askedCapability, capability } from './contract.ts';

type RequestedCapability = Infer<typeof askedCapability>;
export type Capability = Infer<typeof capability>;
export type Capabilities = Readonly<Record<string, Capability>>;

/** Capabilities that the request does not name stay as they are. */
export function grantCapabilities(
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
