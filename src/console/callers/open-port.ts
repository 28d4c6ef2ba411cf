/** Makes the port of the view of callers. */

import { createDeprecationAdmin } from '../../backend/deprecations/admin.ts';
import type { ConsoleContext } from '../console-context.ts';
import { deprecationPort } from './open-deprecations.ts';
import { callerRecordPort } from './open-records.ts';
import type { CallersPort } from './port.ts';

export function callersPort(context: ConsoleContext): CallersPort {
  const { backend, services, deprecations, failed } = context;
  const admin = createDeprecationAdmin({
    backend,
    services,
    configured: deprecations.configured,
    // The change is saved. A store that fails now is polled again.
    onChange: async () => deprecations.refresh?.().catch(failed),
  });
  return Object.freeze<CallersPort>({
    ...callerRecordPort(context, admin),
    ...deprecationPort(context, admin),
  });
}
