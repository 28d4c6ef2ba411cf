/** `triglyph credential edit`: changes what a credential may do, and what binds it. Its secret stays. */
import { type Command, Option } from 'commander';
import type { CredentialChanges } from '../../callers/credentials/credential-registry.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../output.ts';
import { withBackend } from '../with-backend.ts';
import { createLimitOptions, type Removal, removed, roleOption } from './limits.ts';

interface EditOptions {
  readonly role?: readonly string[];
  readonly readOnly?: boolean;
  readonly expires?: number | Removal;
  readonly from?: readonly string[] | Removal;
  readonly certificate?: readonly string[] | Removal;
}

export function addEditCommand(credential: Command): void {
  const command = credential
    .command('edit')
    .argument('<id>', 'the id that `credential list` prints')
    .addOption(roleOption('a role, instead of those that it has; repeat it for more'))
    .addOption(new Option('--read-only', 'authorizes operations that read, and no others'))
    .addOption(new Option('--no-read-only', 'authorizes operations that write, too'));
  for (const option of createLimitOptions(true)) command.addOption(option);
  command
    .description('changes a credential; running servers notice it within a second')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph credential edit cr_Fx0uT4mQ9a1s --role recurring:list --expires 90d\n' +
        '  triglyph credential edit cr_Fx0uT4mQ9a1s --certificate old.pem --certificate new.pem',
    )
    .action(editCredential);
}

async function editCredential(id: string, options: EditOptions): Promise<void> {
  const changes: CredentialChanges = {
    roles: options.role,
    readOnly: options.readOnly,
    expiresAt: nullIfRemoved(options.expires),
    networks: nullIfRemoved(options.from),
    certificates: nullIfRemoved(options.certificate),
  };
  if (Object.values(changes).every((each) => each === undefined))
    throw new CommandError(['name a change: `triglyph credential edit --help` lists the options']);
  await withBackend(({ registry }) => registry.editCredential(id, changes));
  print(`${id} is changed.`);
}

function nullIfRemoved<T>(value: T | Removal | undefined): T | null | undefined {
  return value === removed ? null : value;
}
