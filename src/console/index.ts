/** The console. */
export type { ConsoleContext, DemoCaller } from './console-context.ts';
export * from './lazy-console.ts';
export * from './testing/controls.ts';
