/** Makes the port of the view of callers. */
import type { CallersPort } from '../../../console/callers/port.ts';
import { createDeprecationAdmin } from '../../deprecations/admin.ts';
import type { ConsoleContext } from '../console-context.ts';
import { deprecationPort } from './deprecations.ts';
import { callerRecordPort } from './records.ts';

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
