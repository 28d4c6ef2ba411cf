/** `triglyph compact`: makes the file of the embedded store as small as its rows. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Backend } from '../../backend/index.ts';
import { databaseName } from '../../stores/sqlite/index.ts';
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
        'A server may run. PostgreSQL has a vacuum of its own: see docs/capacity.md.',
    )
    .action(compact);
}

interface CompactResult {
  readonly dataDir: string;
  /** Of the database and its log, before and after. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
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
  await backend.shrink({ keepsSpare: false });
  const complete = await backend.scrub();
  return { dataDir, bytesBefore, bytesAfter: sizeOf(dataDir), complete };
}

function linesOf({ dataDir, bytesBefore, bytesAfter, complete }: CompactResult): readonly string[] {
  return [
    `${dataDir}: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} after.`,
    ...(complete ? [] : ['Another process reads the store, such as a backup: the file shrinks when it has ended.']),
  ];
}

/** The bytes of the database and its write-ahead log. */
function sizeOf(dataDir: string): number {
  const path = join(dataDir, databaseName);
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
