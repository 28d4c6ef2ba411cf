/** The compile cache of the program. A start takes half as long with it, also that of a test's own program. */
import { join } from 'node:path';

export const compileCache = join(import.meta.dirname, '../../.cache/compile');
