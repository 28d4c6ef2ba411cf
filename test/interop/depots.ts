/** Puts `serve --wsdl` in front of each SOAP server, and calls it in each format. */
import { join } from 'node:path';
import { casesOf, differenceOf, formats } from './depot-calls.ts';
import { startDepot } from './depot-server.ts';
import type { ServerStack } from './depot-stacks.ts';

export interface DepotOutcome {
  readonly stack: ServerStack;
  readonly calls: number;
  /** What differs, with the format and the case. */
  readonly differences: readonly string[];
}

/** `folder`: for what the stacks build. */
export async function runDepot(stack: ServerStack, folder: string): Promise<DepotOutcome> {
  const differences: string[] = [];
  let calls = 0;
  try {
    const depot = await startDepot(stack, join(folder, `depot-${stack.title.replace(/\W+/g, '-')}`));
    try {
      for (const format of formats)
        for (const each of casesOf(format, stack)) {
          calls += 1;
          const difference = await differenceOf(depot.address, format, each).catch(String);
          if (difference !== undefined) differences.push(`${format}, ${each.title}: ${difference}`);
        }
    } finally {
      await depot.stop();
    }
  } catch (thrown) {
    const { stderr = '' } = Object(thrown) as { readonly stderr?: string };
    differences.push(`${String(thrown)}\n${stderr}`);
  }
  return { stack, calls, differences };
}
