/** What the explorer of the console needs of a running server. */

import type { MaskSecrets } from '../../contract/redaction.ts';
import type { ConsoleContext } from '../console-context.ts';
import type { ExplorerPort } from './port.ts';
import { sendToCallersPort } from './send-to-callers-port.ts';

type Needed = Pick<ConsoleContext, 'services' | 'callers' | 'backend' | 'demoCallers' | 'certificate' | 'traffic'>;

export function explorerPort({
  services,
  callers,
  backend,
  demoCallers,
  certificate,
  traffic,
  mask,
}: Needed & { readonly mask: MaskSecrets }): ExplorerPort {
  const detector = backend.services.textScan?.detector;
  const send = sendToCallersPort({ origin: callers, certificate });
  return {
    services,
    origin: callers,
    demoCredentials: demoCallers ?? new Map(),
    mask,
    maskText: (text) => detector?.mask(text) ?? text,
    send(request) {
      // The sender may look for it in the traffic.
      traffic?.watch();
      return send(request);
    },
  };
}
