/** Creates the resources that a request of the public description concerns. */
import type { Furnished } from '../support/seeded-platform.ts';

export interface Starting {
  /** Without balance accounts, so that it can be closed. */
  readonly holder?: 'alone';
  readonly instrument?: 'active' | 'inactive';
}

/** Returns `fill`, which replaces `{holder}`, `{account}`, `{other}` and `{instrument}` by ids of new resources. */
export async function createStartingResources(ask: Furnished, { holder, instrument }: Starting = {}) {
  const ids: Record<string, string> = { holder: await ask.holder() };
  if (holder !== 'alone') {
    ids.account = await ask.account(ids.holder!);
    ids.other = await ask.account(ids.holder!);
    // Its account has no other one, so that it can be closed.
    ids.instrument = await ask.instrument(await ask.account(ids.holder!), { status: instrument ?? 'inactive' });
  }
  return <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole));
}
