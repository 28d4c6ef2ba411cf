/** Answers the operations of the overview. */
import { bindHandlers, type OperationHandlers } from '../../gateway/implement.ts';
import type { ConsolePorts } from '../ports.ts';
import { overviewOperations } from './contract.ts';

export function overviewHandlers({ overview }: Pick<ConsolePorts, 'overview'>): OperationHandlers {
  return bindHandlers(overviewOperations, {
    getOverview: () => overview.read(),
    listAttention: () => overview.findAttention(),
  });
}
