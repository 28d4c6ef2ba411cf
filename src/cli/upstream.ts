/** `triglyph upstream`: the credentials that callers have at upstreams. */
import type { Command } from 'commander';
import { addUpstreamCredentialCommands } from './upstream/credential.ts';

export function add(program: Command): void {
  const upstream = program.command('upstream').description('sets, lists and removes credentials for upstreams');
  addUpstreamCredentialCommands(upstream);
  upstream.addHelpText('after', '\nExample:\n  triglyph upstream credential list');
}
