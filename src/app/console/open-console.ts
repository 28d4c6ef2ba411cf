/** Composes the console of a server. Loaded at its first request only. */
import { createConsole } from '../../console/console.ts';
import { consoleV1 } from '../../console/contract.ts';
import { trafficEvents } from '../../console/traffic/events.ts';
import { createTextMasker } from '../../contract/text-detector.ts';
import { deriveBoundOpenApi } from '../../documents/index.ts';
import type { Site } from '../../http/site.ts';
import { clock } from '../../lib/clock.ts';
import { callersPort } from './callers/port.ts';
import type { ConsoleContext } from './console-context.ts';
import { explorerPort } from './explorer/port.ts';
import { overviewPort } from './overview.ts';
import { statePort } from './state/port.ts';
import { testingPort } from './testing.ts';
import { trafficPort } from './traffic.ts';

export function openConsole(context: ConsoleContext): Omit<Site, 'owns'> {
  const { backend, guard, oneClick, failed, demoControls } = context;
  const { textDetector } = backend.services;
  const mask = createTextMasker(textDetector);
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
