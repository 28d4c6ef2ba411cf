/** `triglyph pending settle`: stores what became of a request, or frees its key; or of those that a file names. */
import { readFileSync } from 'node:fs';
import { type Settlement, SettlementError, settleRequest } from '../../backend/settle-request.ts';
import { CommandError } from '../command-error.ts';
import type { ImportOptions } from '../import/file.ts';
import { print } from '../output.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';
import { settleFile } from './settle-file.ts';

export interface SettleOptions extends ImportOptions {
  /** Instead of an id. */
  readonly file?: string;
  /** `true` where no output is given. */
  readonly done?: string | true;
  readonly notDone?: boolean;
  readonly refused?: string;
  readonly message?: string;
}

export async function settle(id: string | undefined, options: SettleOptions): Promise<void> {
  const { done, notDone, refused, message, file, report, dryRun } = options;
  if (file !== undefined) {
    if (id !== undefined) throw new CommandError(['give either an id or --file']);
    if ((done ?? notDone ?? refused ?? message) !== undefined)
      throw new CommandError(['with --file, each row says what became of its request']);
    return settleFile(file, options);
  }
  if (id === undefined) throw new CommandError(['give either an id or --file']);
  if ((report ?? dryRun) !== undefined) throw new CommandError(['--report and --dry-run belong to --file']);
  if ([done, notDone, refused].filter((each) => each !== undefined).length !== 1)
    throw new CommandError(['give one of --done, --not-done and --refused']);
  if (message !== undefined && refused === undefined) throw new CommandError(['--message belongs to --refused']);
  await withBackend(async ({ unsettled, requestHasher }) => {
    try {
      const consequence = await settleRequest(
        { unsettled, requestHasher, services: servedServices() },
        id,
        settlementOf(options),
      );
      print(`${id} is settled. ${consequence}`);
    } catch (thrown) {
      throw thrown instanceof SettlementError ? new CommandError(thrown.lines) : thrown;
    }
  });
}

function settlementOf({ done, refused, message }: SettleOptions): Settlement {
  if (refused !== undefined) return { kind: 'refused', code: refused, message };
  return done === undefined ? { kind: 'notDone' } : { kind: 'done', output: outputText(done) };
}

function outputText(done: string | true): string | undefined {
  if (done === true) return undefined;
  return done.trimStart().startsWith('{') ? done : readFileSync(done, 'utf8');
}
