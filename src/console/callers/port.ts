/** What the view of callers needs of the server. */
import type { PortOf } from '../bind-port.ts';
import type { callerOperations } from './contract.ts';

export type CallersPort = PortOf<(typeof callerOperations)[number]>;
