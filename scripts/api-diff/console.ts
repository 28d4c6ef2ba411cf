/** Prints the OpenAPI document of the console's service, which is not committed. */
import { consoleV1 } from '../../src/console/contract.ts';
import { committedOpenApi } from '../../src/documents/index.ts';

process.stdout.write(committedOpenApi(consoleV1).text);
