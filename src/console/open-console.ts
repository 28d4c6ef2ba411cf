/** Composes the console of a server. Loaded at its first request only. */

import { hasDatabase } from '../config/index.ts';
import { formatsOf } from '../core/formats/index.ts';
import { clock } from '../core/lib/index.ts';
import { createDocuments } from '../documents/index.ts';
import type { Site } from '../http/index.ts';
import { roles } from '../operators/index.ts';
import { createConsole } from './console.ts';
import type { ConsoleContext } from './console-context.ts';
import { implementConsole } from './implementation.ts';
import type { GatewayFacts } from './session/gateway-facts.ts';
import { trafficEvents } from './traffic/events.ts';

export function openConsole(context: ConsoleContext): Omit<Site, 'owns'> {
  const { backend, config, guard, oneClick, failed, demoControls } = context;
  const implementation = implementConsole(context);
  return createConsole({
    store: backend.store,
    context: backend.context,
    hasher: backend.requestHasher,
    audit: backend.audit,
    verifier: backend.credentials,
    liveCredentials: backend.liveCredentials,
    secondFactor: hasDatabase(config)
      ? {
          factors: backend.secondFactors,
          requiredFor: config.consoleSecondFactor === 'console-admin' ? [roles.act, roles.actTenant] : undefined,
        }
      : undefined,
    sessionClock: demoControls && clock,
    guard,
    oneClick,
    gateway: gatewayFacts(context),
    failed,
    documents: createDocuments([implementation.service]),
    implementation,
    streams: [trafficEvents(context.traffic)],
  });
}

function gatewayFacts({ backend, config, services, plan }: ConsoleContext): GatewayFacts {
  const carried = services.flatMap((service) =>
    [...service.operations.values()].flatMap((operation) => formatsOf(operation, service)),
  );
  return {
    records: hasDatabase(config) ? 'database' : config.stateless ? 'nowhere' : 'redis',
    recordsCallers: config.callerRecords,
    forwardsCredentials: plan.decidesRights,
    hasGuides: backend.services.hasGuides,
    formats: [...new Set(carried)],
  };
}
