/** Starts `triglyph mock` in a process of its own. */
import { equal } from 'node:assert/strict';
import { type Started, startTriglyph, type Variables } from './commands.ts';
import { until } from './until.ts';

export interface Mock extends Started {
  readonly callers: string;
  readonly admin: string;
  /** Rejects unless it ends without a failure. */
  stop(): Promise<void>;
}

/** Throws with what the command has printed where it does not start. */
export async function startMock(
  folder: string,
  parameters: readonly string[],
  variables: Variables = {},
): Promise<Mock> {
  const started = startTriglyph(['mock', ...parameters], folder, variables);
  const ready = /The mock is ready: callers at (\S+), admin at (\S+?)\. /;
  await until(
    () => started.received,
    () => ready.test(started.received.stdout) || started.child.exitCode !== null,
  );
  const [, callers, admin] = ready.exec(started.received.stdout) ?? [];
  if (callers === undefined || admin === undefined) throw new Error(started.received.stderr);
  return {
    ...started,
    ...{ callers, admin },
    async stop() {
      started.child.kill('SIGTERM');
      equal(await started.over, 0);
    },
  };
}
