/** Prints the OpenAPI document of the console's service, which is not committed. */
import { actionsOf } from '../../src/backend/compose-services.ts';
import { consoleOf } from '../../src/console/contract.ts';
import { committedOpenApi } from '../../src/documents/committed.ts';
import { builtInServices } from '../../src/payments/index.ts';

process.stdout.write(committedOpenApi(consoleOf(actionsOf(builtInServices))).text);
