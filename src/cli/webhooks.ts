/** `triglyph webhooks`: who is told what becomes of stored details and balance platforms, and what nobody took. */
import type { Command } from 'commander';
import { list, retry } from './webhooks/dead-letters.ts';
import { addEndpointCommands } from './webhooks/endpoint.ts';

export const add = (program: Command): void => {
  const webhooks = program
    .command('webhooks')
    .description('who is told what becomes of stored details and balance platforms, and what nobody took');
  addEndpointCommands(webhooks);
  webhooks
    .command('list')
    .argument('[company]', 'a company; all of them when it is left out')
    .option('--json', 'prints JSON')
    .description('lists the dead letters: webhooks that were given up, with why and since when')
    .addHelpText('after', '\nExample:\n  triglyph webhooks list Acme')
    .action(list);
  webhooks
    .command('retry')
    .argument('[id]', 'the dead letter, as `webhooks list` names it')
    .option('--all', 'all of them')
    .description('has the servers try dead letters again')
    .addHelpText('after', '\nExample:\n  triglyph webhooks retry --all')
    .action(retry);
  webhooks.addHelpText('after', '\nExample:\n  triglyph webhooks endpoint add Acme https://shop.example.com/webhooks');
};
