/** Loads node:http without its getters: an import statement evaluates them all, and with them undici, a fifth of a start. */
export const { createServer } = process.getBuiltinModule('node:http');
