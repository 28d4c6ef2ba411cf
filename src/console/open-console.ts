/** Composes the console of a server. Loaded at its first request only. */

import { createTextMasker } from '../contract/text-detector.ts';
import { deriveBoundOpenApi } from '../documents/index.ts';
import type { Site } from '../http/site.ts';
import { clock } from '../lib/clock.ts';
import { callersPort } from './callers/open-port.ts';
import { createConsole } from './console.ts';
import type { ConsoleContext } from './console-context.ts';
import { consoleV1 } from './contract.ts';
import { explorerPort } from './explorer/open-port.ts';
import { overviewPort } from './overview/open-port.ts';
import { statePort } from './state/open-port.ts';
import { testingPort } from './testing/open-port.ts';
import { trafficEvents } from './traffic/events.ts';
import { trafficPort } from './traffic/open-port.ts';

export function openConsole(context: ConsoleContext): Omit<Site, 'owns'> {
  const { backend, guard, oneClick, failed, demoControls } = context;
  const mask = createTextMasker(backend.services.textScan?.detector);
  return createConsole({
    store: backend.store,
    context: backend.context,
    hasher: backend.requestHasher,
    audit: backend.audit,
    verifier: backend.credentials,
    liveCredentials: backend.liveCredentials,
    sessionClock: demoControls && clock,
    guard,
    oneClick,
    failed,
    openApi: (origin) => `${JSON.stringify(deriveBoundOpenApi(consoleV1, origin), null, 2)}\n`,
    // Each view of the server adds its port here.
    ports: {
      overview: overviewPort(context),
      testing: testingPort(context),
      explorer: explorerPort({ ...context, mask }),
      callers: callersPort(context),
      state: statePort({ ...context, mask }),
      traffic: trafficPort(context),
    },
    streams: [trafficEvents(context.traffic)],
  });
}
