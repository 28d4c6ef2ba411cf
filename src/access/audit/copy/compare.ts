/** Compares a copy of the audit log with the log: an entry of the copy that the log lacks was removed from it. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuditEntry, ChainHead } from '../chain.ts';
import { type ChainFault, createFaults } from '../verify.ts';

/** The log, as far as a comparison reads it. */
interface ComparedLog {
  head(): Promise<ChainHead | undefined>;
  read(from: number, through: number): AsyncIterable<readonly AuditEntry[]>;
}

export interface CopyComparison {
  /** Entries that both hold. */
  readonly compared: number;
  /** Entries of the copy whose time in the log is over. */
  readonly older: number;
  /** Lines of the copy that are no entries, such as one that a full disk has cut. */
  readonly unreadable: number;
  /** The first ones. */
  readonly faults: readonly ChainFault[];
}

/** `file`: lines of JSON, or of syslog with JSON at their ends. Processes may have written in any order. */
export async function compareCopy(file: string, log: ComparedLog): Promise<CopyComparison> {
  const { removedThrough = 0, lastSequence = 0 } = (await log.head()) ?? {};
  const { faults, report } = createFaults();
  const macs = new Map<number, string>();
  for await (const page of log.read(removedThrough + 1, lastSequence))
    for (const { sequence, mac } of page) macs.set(sequence, mac);
  let compared = 0;
  let older = 0;
  let unreadable = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '') continue;
    const entry = parseLine(line);
    if (entry === undefined) unreadable += 1;
    else if (entry.sequence <= removedThrough) older += 1;
    else if (macs.get(entry.sequence) === entry.mac) compared += 1;
    // Recorded while this was read.
    else if (entry.sequence > lastSequence && (await hasEntry(log, entry))) compared += 1;
    else
      report(entry.sequence, macs.has(entry.sequence) ? 'the copy has another entry' : 'only the copy has the entry');
  }
  return { compared, older, unreadable, faults };
}

type CopiedEntry = Pick<AuditEntry, 'sequence' | 'mac'>;

async function hasEntry(log: ComparedLog, { sequence, mac }: CopiedEntry): Promise<boolean> {
  for await (const page of log.read(sequence, sequence)) return page.some((each) => each.mac === mac);
  return false;
}

function parseLine(line: string): CopiedEntry | undefined {
  try {
    const { sequence, mac } = JSON.parse(line.slice(line.indexOf('{'))) as Partial<CopiedEntry>;
    return typeof sequence === 'number' && typeof mac === 'string' ? { sequence, mac } : undefined;
  } catch {
    return undefined;
  }
}
