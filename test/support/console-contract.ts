/** The contract of the console of a gateway that serves the built-in services. */
import { actionsOf } from '../../src/backend/compose-services.ts';
import { consoleOf } from '../../src/console/contract.ts';
import { builtInServices } from '../../src/payments/index.ts';

/** What the services contribute to it. */
export const contributed = actionsOf(builtInServices);
export const consoleV1 = consoleOf(contributed);
