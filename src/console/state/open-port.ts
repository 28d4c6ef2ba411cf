/** Makes the port of the state views. */

import { type PartPortParts, partPort } from './open-parts.ts';
import { type RecordPortParts, recordPort } from './open-records.ts';
import { rulePort } from './open-rules.ts';
import { workPort } from './open-work.ts';
import type { StatePort } from './port.ts';

export type StatePortParts = PartPortParts & Pick<RecordPortParts, 'mask'>;

export function statePort(parts: StatePortParts): StatePort {
  const { config, backend } = parts;
  return Object.freeze<StatePort>({
    ...recordPort(parts),
    ...workPort(backend),
    ...partPort(parts),
    ...rulePort(config, backend),
  });
}
