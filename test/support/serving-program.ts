/** `triglyph serve` as a process of its own, and the calls that it prints. */
import { type Started, startTriglyph, type Variables } from './commands.ts';
import { until } from './until.ts';

export interface ServingProgram extends Started {
  readonly callers: string;
  readonly admin: string;
  stop(): Promise<void>;
}

/** Throws what it prints where it does not start. */
export async function serve(
  parameters: readonly string[],
  folder: string,
  variables: Variables = {},
): Promise<ServingProgram> {
  const started = startTriglyph(['serve', ...parameters], folder, variables);
  const { child, received, over } = started;
  let ready: { readonly callers: string; readonly admin: string } | undefined;
  await until(
    () => received,
    () => {
      const line = received.stdout.split('\n').find((each) => each.includes('"msg":"ready"'));
      if (line !== undefined) ready = JSON.parse(line);
      return ready !== undefined || child.exitCode !== null;
    },
  );
  if (ready === undefined) throw new Error(received.stderr);
  return {
    ...started,
    ...ready,
    async stop() {
      child.kill();
      await over;
    },
  };
}

/** Waits for the line with an API key, which standard error may have after the log says that the program is ready. */
export async function printedKey({ received }: Pick<Started, 'received'>, before = 'X-API-Key: '): Promise<string> {
  let key = '';
  await until(
    () => received,
    () => {
      [, key = ''] = new RegExp(`${before}(\\S+)\\n`).exec(received.stderr) ?? [];
      return key !== '';
    },
  );
  return key;
}

export const post = async (
  url: string,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': contentType, ...headers }, body });
  return { status: response.status, text: await response.text() };
};

/** The commands that the program has printed, by their titles. */
export function printedCalls(text: string): readonly string[] {
  return ['JSON', 'FORM', 'SOAP'].map((title) => new RegExp(`^${title}:\n((?:  .*\n)+)`, 'm').exec(text)?.[1] ?? '');
}
