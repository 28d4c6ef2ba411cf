/** `triglyph webhooks`: the endpoints of companies, and dead letters. */
import { type Command, InvalidArgumentError } from 'commander';
import { listDeadLetters, retryDeadLetters } from './webhooks/dead-letters.ts';
import { addEndpointCommands } from './webhooks/endpoint.ts';
import { rotateKey } from './webhooks/rotate.ts';

export function add(program: Command): void {
  const webhooks = program.command('webhooks').description('manages webhook endpoints and dead letters');
  addEndpointCommands(webhooks);
  webhooks
    .command('rotate')
    .argument('<id>', 'the id that `endpoint list` prints')
    .option('--grace <minutes>', 'how long both keys sign', parseMinutes, 1_440)
    .option('--json', 'prints JSON')
    .description('issues a new key for an endpoint and prints it once; both keys sign for a day')
    .addHelpText('after', '\nExample:\n  triglyph webhooks rotate we_Fx0uT4mQ9a1s --grace 10080')
    .action(rotateKey);
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

function parseMinutes(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give whole minutes, up to 999999.');
  return Number(text);
}
