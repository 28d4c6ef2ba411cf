/** What the views of the console need of the server. Each view declares its own port in its folder and adds it here. */

import type { CallersPort } from './callers/port.ts';
import type { ExplorerPort } from './explorer/port.ts';
import type { OverviewPort } from './overview/port.ts';
import type { StatePort } from './state/port.ts';
import type { TestingPort } from './testing/port.ts';
import type { TrafficPort } from './traffic/port.ts';

export interface ConsolePorts {
  readonly explorer: ExplorerPort;
  readonly overview: OverviewPort;
  readonly state: StatePort;
  readonly traffic: TrafficPort;
  readonly testing: TestingPort;
  readonly callers: CallersPort;
}
