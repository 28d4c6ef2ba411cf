/** `triglyph upstream`: which credential an upstream receives for each credential of a caller. */
import { type Command, Option } from 'commander';
import { formatMinute } from '../../core/lib/index.ts';
import { listUpstreamCredentials, removeUpstreamCredential, setUpstreamCredential } from '../../operators/index.ts';
import { addOperation, linesOf, readSecret } from './operator-command.ts';
import { checkProject } from './project.ts';

const operands = { upstream: 'upstream', id: 'id' } as const;
const example = 'triglyph upstream credential list';

export function add(program: Command): void {
  const upstream = program.command('upstream').description('sets, lists and removes credentials for upstreams');
  const credential = upstream
    .command('credential')
    .description('sets, lists and removes the credentials that upstreams with credentials: mapped receive')
    .addHelpText('after', `\nExample:\n  ${example}`);
  addOperation(credential, 'set', setUpstreamCredential, {
    operands,
    flags: { secret: null, username: '--username <name>', header: '--header <name>' },
    options: [
      new Option('--secret-file <file>', 'the file with the secret; by default it is read from standard input'),
    ],
    example:
      'Example:\n  triglyph upstream credential set erp cr_Fx0uT4mQ9a1s --kind basic --username ws --secret-file /run/secrets/erp\n\n' +
      'The secret is no argument: process lists and shell histories would show it.',
    input({ secretFile, ...given }) {
      checkProject();
      return { ...given, secret: readSecret('secret', secretFile) };
    },
    text: (_, { upstream: name, id }) => [`${name} receives this credential for ${id}.`],
  });
  addOperation(credential, 'list', listUpstreamCredentials, {
    doc: 'lists the credentials for upstreams without their secrets',
    example: 'triglyph upstream credential list --json',
    json: ({ credentials }) => credentials,
    text: ({ credentials }) =>
      linesOf(
        credentials,
        ({ upstream: name, credentialId, kind, createdAt }) => [name, credentialId, kind, formatMinute(createdAt)],
        'There is no credential for an upstream yet.',
      ),
  });
  addOperation(credential, 'remove', removeUpstreamCredential, {
    operands,
    example: 'triglyph upstream credential remove erp cr_Fx0uT4mQ9a1s',
    text: (_, { upstream: name, id }) => [`${name} receives no credential for ${id} any more.`],
  });
  upstream.addHelpText('after', `\nExample:\n  ${example}`);
}
