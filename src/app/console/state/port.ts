/** Makes the port of the state views. */
import type { StatePort } from '../../../console/state/port.ts';
import { type PartPortParts, partPort } from './parts.ts';
import { type RecordPortParts, recordPort } from './records.ts';
import { rulePort } from './rules.ts';
import { workPort } from './work.ts';

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
