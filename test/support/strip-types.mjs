/** The transformer of the tests: Node's own type stripping, which keeps every line and column in place. */
import { stripTypeScriptTypes } from 'node:module';

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
