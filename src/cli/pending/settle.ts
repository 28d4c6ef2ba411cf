/** `triglyph pending settle`: stores what became of a request, or frees its key. */
import { readFileSync } from 'node:fs';
import { type Settlement, SettlementError, settleRequest } from '../../app/settle-request.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { servedServices } from '../project-upstreams.ts';
import { withBackend } from '../with-backend.ts';

export interface SettleOptions {
  /** `true` where no output is given. */
  readonly done?: string | true;
  readonly notDone?: boolean;
  readonly refused?: string;
  readonly message?: string;
}

export async function settle(id: string, options: SettleOptions): Promise<void> {
  const { done, notDone, refused, message } = options;
  if ([done, notDone, refused].filter((each) => each !== undefined).length !== 1)
    throw new CommandError(['give one of --done, --not-done and --refused']);
  if (message !== undefined && refused === undefined) throw new CommandError(['--message belongs to --refused']);
  await withBackend(async ({ unsettled }) => {
    try {
      const consequence = await settleRequest(unsettled, servedServices(), id, settlementOf(options));
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
