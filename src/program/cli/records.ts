/** `triglyph records`: the records of gateways without a database, in Redis. */
import type { Command } from 'commander';
import { acceptLoss } from '../../operators/index.ts';
import { addOperation } from './operator-command.ts';

export function add(program: Command): void {
  const records = program
    .command('records')
    .description('the records of gateways that have them in REDIS_STORE_URL')
    .addHelpText('after', '\nExample:\n  triglyph records accept-loss');
  addOperation(records, 'accept-loss', acceptLoss, {
    doc: 'makes a Redis the store that is new, or has lost records: retries of requests whose records are gone are sent again',
    access: { needs: 'store' },
    example: 'triglyph records accept-loss',
    json: (output) => output,
    text: ({ reason }) => [
      reason === undefined
        ? 'Nothing was lost, as far as this machine knows.'
        : `The store had lost records: ${reason}.`,
      'The store has a new marker. Gateways accept writes again within a few seconds.',
    ],
  });
}
