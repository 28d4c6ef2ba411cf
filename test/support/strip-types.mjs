/** Jest transformer: Node's type stripping, which preserves lines and columns. */
import { stripTypeScriptTypes } from 'node:module';

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
