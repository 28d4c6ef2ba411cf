/** `triglyph compact`: makes the file of the embedded store as small as its rows. */
import type { Command } from 'commander';
import type { Backend } from '../backend/backend.ts';
import { isIncremental, megabytes, rewriteStore, sizeOf } from '../store/sqlite/compact.ts';
import { embeddedDataDir } from './backup.ts';
import { print } from './output.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  program
    .command('compact')
    .description('gives the space of deleted rows in the embedded store back to the disk')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph compact --json\n\n' +
        'A server may run. Only the first time, for a store that an earlier release created, no server may run: the store is\n' +
        'written anew, which needs free space of twice its rows. If it is interrupted, the store is as before: run it again.\n' +
        'PostgreSQL has a vacuum of its own: see docs/capacity.md.',
    )
    .action(compact);
}

interface CompactResult {
  readonly dataDir: string;
  /** Of the database and its log, before and after. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Whether the whole store was written anew, so that its file shrinks by itself from now on. */
  readonly rewritten: boolean;
  /** False where a reader, such as a backup, held the file at its size: it shrinks when the reader has ended. */
  readonly complete: boolean;
}

async function compact({ json }: { readonly json?: true }): Promise<void> {
  const dataDir = embeddedDataDir(
    'compact',
    'autovacuum of PostgreSQL uses the space of deleted rows again, and `vacuum full <table>` gives it back to the disk (docs/capacity.md)',
  );
  const result = await withBackend((backend) => compactStore(dataDir, backend), {
    next: (place) => [`The store is ${place}. It has all its rows: run the command again.`],
  });
  if (json) print(JSON.stringify(result));
  else print(...linesOf(result));
}

async function compactStore(dataDir: string, backend: Backend): Promise<CompactResult> {
  const bytesBefore = sizeOf(dataDir);
  const rewritten = !isIncremental(dataDir);
  if (rewritten) rewriteStore(dataDir);
  else await backend.shrink({ keepsSpare: false });
  const complete = await backend.scrub();
  return { dataDir, bytesBefore, bytesAfter: sizeOf(dataDir), rewritten, complete };
}

function linesOf({ dataDir, bytesBefore, bytesAfter, rewritten, complete }: CompactResult): readonly string[] {
  return [
    `${dataDir}: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} after.`,
    ...(rewritten ? ['The store was written anew. From now on servers give free space back by themselves.'] : []),
    ...(complete ? [] : ['Another process reads the store, such as a backup: the file shrinks when it has ended.']),
  ];
}
