/** Capabilities: verification succeeds at once, so what is asked for is allowed. */

import type { Infer } from '../../../contract/schema.ts';
import type { askedCapability, capability } from './contract.ts';

type Asked = Infer<typeof askedCapability>;
export type Capability = Infer<typeof capability>;
export type Capabilities = Readonly<Record<string, Capability>>;

const granted = (asked: Asked, before: Capability | undefined): Capability => {
  const requested = asked.requested ?? before?.requested ?? true;
  const requestedLevel = asked.requestedLevel ?? before?.requestedLevel ?? 'notApplicable';
  return {
    allowed: requested,
    allowedLevel: requested ? requestedLevel : 'notApplicable',
    enabled: asked.enabled ?? before?.enabled ?? true,
    requested,
    requestedLevel,
    verificationStatus: 'valid',
  };
};

/** Those that are named change, all others stay. */
export const grant = (
  asked: Readonly<Record<string, Asked>> | undefined,
  before: Capabilities | undefined,
): Capabilities | undefined => {
  if (asked === undefined) return before;
  const named = Object.entries(asked).map(([name, each]) => [name, granted(each, before?.[name])] as const);
  return { ...before, ...Object.fromEntries(named) };
};
