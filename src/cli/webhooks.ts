/** `triglyph webhooks`: the endpoints of companies, and dead letters. */
import type { Command } from 'commander';
import { listDeadLetters, retryDeadLetters } from './webhooks/dead-letters.ts';
import { addEndpointCommands } from './webhooks/endpoint.ts';

export function add(program: Command): void {
  const webhooks = program.command('webhooks').description('manages webhook endpoints and dead letters');
  addEndpointCommands(webhooks);
  webhooks
    .command('list')
    .argument('[company]', 'a company; all of them by default')
    .option('--json', 'prints JSON')
    .description('lists the dead letters: webhooks that could not be delivered, with reason and time')
    .addHelpText('after', '\nExample:\n  triglyph webhooks list Acme')
    .action(listDeadLetters);
  webhooks
    .command('retry')
    .argument('[id]', 'the id that `webhooks list` prints')
    .option('--all', 'all dead letters')
    .description('makes the servers deliver dead letters again')
    .addHelpText('after', '\nExample:\n  triglyph webhooks retry --all')
    .action(retryDeadLetters);
  webhooks.addHelpText('after', '\nExample:\n  triglyph webhooks endpoint add Acme https://shop.example.com/webhooks');
}
