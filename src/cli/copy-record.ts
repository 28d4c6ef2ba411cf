/** Records a copy in the audit log of its source, where the keys of the log are configured. The target gets it with the rest. */
import { describeStore, openStore, type StoreAddress } from '../backend/open-store.ts';
import type { Config } from '../config/config.ts';
import { isHalfCopied } from '../store/sql/copy.ts';
import { systemUser } from './audited-command.ts';
import { recordInStore } from './record-command.ts';

/** A copy needs no keys, and no other settings. Without keys nothing can be added to the log. */
export async function recordCopy(source: StoreAddress, target: StoreAddress): Promise<void> {
  // What an interrupted copy has copied already must stay as it is.
  if (await hasBegun(target)) return;
  const detail = { from: describeStore(source), to: describeStore(target) };
  await recordInStore({ kind: 'export', actor: systemUser(), subject: 'store', detail }, addressOf(source));
}

async function hasBegun(target: StoreAddress): Promise<boolean> {
  try {
    const engine = await openStore(target, { exclusive: false, create: false });
    try {
      return await isHalfCopied(engine);
    } finally {
      await engine.close();
    }
  } catch {
    // There is no target yet, or no tables in it. The copy says what else is wrong.
    return false;
  }
}

function addressOf(store: StoreAddress): Pick<Config, 'dataDir' | 'databaseUrl'> | Pick<Config, 'databaseUrl'> {
  switch (store.kind) {
    case 'sqlite':
      return { dataDir: store.dataDir, databaseUrl: undefined };
    case 'postgres':
      return { databaseUrl: store.url };
    default:
      return store satisfies never;
  }
}
