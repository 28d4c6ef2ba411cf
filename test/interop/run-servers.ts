/** Puts the gateway in front of each server, and calls it in each format. */
import { join } from 'node:path';
import * as depotCalls from './depot-calls.ts';
import { type DepotStack, depot } from './depot-stacks.ts';
import { type LiveServer, type LiveService, type ServerStack, startLive } from './live-server.ts';
import * as shopCalls from './shop-calls.ts';
import { type ShopStack, shop } from './shop-stacks.ts';

export interface ServerOutcome<S extends ServerStack> {
  readonly stack: S;
  readonly calls: number;
  /** What differs, with the format and the case. */
  readonly differences: readonly string[];
}

/** A call, and what finds out whether its answer is the expected one. */
interface Check {
  readonly title: string;
  difference(live: LiveServer): Promise<string | undefined>;
}

/** `folder`: for what the stacks build. */
export function runDepot(stack: DepotStack, folder: string): Promise<ServerOutcome<DepotStack>> {
  return run(depot, stack, folder, checksOf(stack, depotCalls));
}

export function runShop(stack: ShopStack, folder: string): Promise<ServerOutcome<ShopStack>> {
  return run(shop, stack, folder, checksOf(stack, shopCalls));
}

interface Calls<S, C extends { readonly title: string }> {
  casesOf(format: depotCalls.Format, stack: S): readonly C[];
  differenceOf(live: LiveServer, format: depotCalls.Format, each: C): Promise<string | undefined>;
}

/** In the order in which they are made. */
export function checksOf<S, C extends { readonly title: string }>(stack: S, calls: Calls<S, C>): readonly Check[] {
  return depotCalls.formats.flatMap((format) =>
    calls.casesOf(format, stack).map((each) => ({
      title: `${format}: ${each.title}`,
      difference: (live: LiveServer) => calls.differenceOf(live, format, each),
    })),
  );
}

async function run<S extends ServerStack>(
  service: LiveService,
  stack: S,
  folder: string,
  checks: readonly Check[],
): Promise<ServerOutcome<S>> {
  const differences: string[] = [];
  let calls = 0;
  try {
    const live = await startLive(service, stack, join(folder, `${service.name}-${stack.title.replace(/\W+/g, '-')}`));
    try {
      for (const { title, difference } of checks) {
        calls += 1;
        const seen = await difference(live).catch(String);
        if (seen !== undefined) differences.push(`${title}: ${seen}`);
      }
    } finally {
      await live.stop();
    }
  } catch (thrown) {
    const { stderr = '' } = Object(thrown) as { readonly stderr?: string };
    differences.push(`${String(thrown)}\n${stderr}`);
  }
  return { stack, calls, differences };
}
