/** Callers that the options of a gateway name: they need no stored credential. */
import { hash, timingSafeEqual } from 'node:crypto';
import { credentialRulesOf } from '../backend/compose-services.ts';
import type { GatewayService } from '../backend/define-service.ts';
import type { Credentials } from '../callers/credentials/credentials.ts';
import type { Caller } from '../contract/canonical.ts';
import { servicesOf } from '../gateway/implement.ts';

/** A caller that needs no stored credential. */
export interface GatewayCaller {
  readonly tenant: string;
  /** The X-API-Key that it sends. */
  readonly apiKey: string;
  /** By default every role of every service. */
  readonly roles?: readonly string[];
  /** The values that it may name, by the name of their grant. */
  readonly grants?: Readonly<Record<string, readonly string[]>>;
}

/** Verifies the keys of the named callers, and all others by the stored credentials. */
export function withCallers(
  credentials: Credentials,
  callers: readonly GatewayCaller[],
  services: readonly GatewayService[],
): Credentials {
  if (callers.length === 0) return credentials;
  const named = callers.map((each, index) => ({
    digest: digestOf(each.apiKey),
    caller: callerOf(each, index, services),
  }));
  return Object.freeze<Credentials>({
    ...credentials,
    async verify(presented, origin) {
      const digest = presented.kind === 'apiKey' ? digestOf(presented.secret) : undefined;
      const found = digest && named.find((each) => timingSafeEqual(each.digest, digest));
      return found ? { caller: found.caller } : credentials.verify(presented, origin);
    },
  });
}

function callerOf(
  { tenant, roles, grants = {} }: GatewayCaller,
  index: number,
  services: readonly GatewayService[],
): Caller {
  const confined = credentialRulesOf(services).grants.find((rule) => rule.confined && grants[rule.name] !== undefined);
  return {
    credential: `caller ${index + 1}`,
    tenant,
    roles: new Set(roles ?? servicesOf(services).flatMap((service) => service.roles)),
    grants: new Map(Object.entries(grants).map(([name, values]) => [name, new Set(values)])),
    partition: confined && grants[confined.name]?.[0],
    requiresKey: false,
  };
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
