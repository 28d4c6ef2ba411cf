/** What the state views need of the server. */
import type { PortOf } from '../bind-port.ts';
import type { stateOperations } from './contract.ts';

export type StatePort = PortOf<(typeof stateOperations)[number]>;
