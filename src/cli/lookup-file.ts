/** Reads the file of `--upstream-lookups`: how servers are asked for the outcomes of writes. */
import { readFileSync } from 'node:fs';
import type { UpstreamOptions } from '../backend/upstreams/options.ts';
import { isMembers } from '../lib/members.ts';
import { CommandError } from './command-error.ts';

/** As `lookups` of an upstream. Their members are not checked yet. */
type Lookups = NonNullable<UpstreamOptions['lookups']>;

/** Returns undefined without a file. Throws CommandError for one that cannot be read, or is no JSON object. */
export function readLookupFile(file: string | undefined): Lookups | undefined {
  if (file === undefined) return undefined;
  const found = parse(file);
  if (!isMembers(found))
    throw new CommandError([`--upstream-lookups: ${file} is no JSON object of look-ups by the names of operations`]);
  return found as Lookups;
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandError([`--upstream-lookups: ${file} cannot be read as JSON`]);
  }
}
