/** Implements the service of the console. Each view adds its handlers here. */
import type { Implementation, OperationHandlers } from '../gateway/implement.ts';
import { bindPort } from './bind-port.ts';
import { callerOperations } from './callers/contract.ts';
import { consoleV1 } from './contract.ts';
import { explorerHandlers } from './explorer/handlers.ts';
import { overviewHandlers } from './overview/handlers.ts';
import type { ConsolePorts } from './ports.ts';
import { stateOperations } from './state/contract.ts';
import { testingOperations } from './testing/contract.ts';
import { trafficHandlers } from './traffic/handlers.ts';

export function implementConsole(ports: ConsolePorts): Implementation {
  const handlers: readonly OperationHandlers[] = [
    overviewHandlers(ports),
    explorerHandlers(ports),
    bindPort(stateOperations, ports.state),
    trafficHandlers(ports),
    bindPort(testingOperations, ports.testing),
    bindPort(callerOperations, ports.callers),
  ];
  return Object.freeze({
    service: consoleV1,
    handlers: new Map(handlers.flatMap((each) => [...each])),
    olderVersions: [],
  });
}
