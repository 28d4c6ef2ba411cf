/** `triglyph upstream credential`: which credential an upstream receives for each credential of a caller. */
import { readFileSync } from 'node:fs';
import { text as readStream } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Backend } from '../../backend/backend.ts';
import { saveMappedCredential } from '../../backend/upstreams/mapped-credentials.ts';
import { credentialFault, type PlainCredential } from '../../backend/upstreams/read-credentials.ts';
import type { UpstreamCredential } from '../../callers/credentials/upstream-credentials.ts';
import { didYouMean } from '../../config/did-you-mean.ts';
import { CommandError } from '../command-error.ts';
import { formatMinute, print, printAll } from '../output.ts';
import { checkProject, mappedUpstreams } from '../project.ts';
import { withBackend } from '../with-backend.ts';

export function addUpstreamCredentialCommands(upstream: Command): void {
  const credential = upstream
    .command('credential')
    .description('sets, lists and removes the credentials that upstreams with credentials: mapped receive')
    .addHelpText('after', '\nExample:\n  triglyph upstream credential list');
  addSetCommand(credential);
  addListCommand(credential);
  addRemoveCommand(credential);
}

interface SetOptions {
  readonly kind: PlainCredential['kind'];
  readonly username?: string;
  readonly header?: string;
  readonly secretFile?: string;
}

function addSetCommand(credential: Command): void {
  credential
    .command('set')
    .argument('<upstream>', 'the name of the upstream in the configuration')
    .argument('<id>', "the id of the caller's credential, as `credential list` prints it")
    .addOption(
      new Option('--kind <kind>', 'how the upstream receives it')
        .choices(['basic', 'apiKey', 'bearer'])
        .makeOptionMandatory(),
    )
    .option('--username <name>', 'for basic')
    .option('--header <name>', 'for apiKey; by default X-API-Key')
    .option('--secret-file <file>', 'the file with the secret; by default it is read from standard input')
    .description('sets the credential for an upstream, sealed by the keys; running servers use it within a second')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph upstream credential set erp cr_Fx0uT4mQ9a1s --kind basic --username ws --secret-file /run/secrets/erp\n\n' +
        'The secret is no argument: process lists and shell histories would show it.',
    )
    .action(setCredential);
}

async function setCredential(upstream: string, credentialId: string, options: SetOptions): Promise<void> {
  checkUpstream(upstream);
  const credential = await readCredential(options);
  await withBackend(async (backend) => {
    await checkCredential(backend, credentialId);
    const { upstreamCredentials: store, context } = backend;
    await saveMappedCredential({ store, ...context }, upstream, credentialId, credential);
  });
  print(`${upstream} receives this credential for ${credentialId}.`);
}

function checkUpstream(name: string): void {
  checkProject();
  const names = mappedUpstreams();
  if (names.length === 0) throw new CommandError(["the configuration has no upstream with credentials: 'mapped'"]);
  if (!names.includes(name))
    throw new CommandError([`no upstream with credentials: 'mapped' has the name ${name}; ${didYouMean(name, names)}`]);
}

async function readCredential({ kind, username, header, secretFile }: SetOptions): Promise<PlainCredential> {
  if ((kind === 'basic') !== (username !== undefined))
    throw new CommandError(['--username belongs to --kind basic, which requires it']);
  if (header !== undefined && (kind !== 'apiKey' || !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(header)))
    throw new CommandError(['--header is the name of a header, and belongs to --kind apiKey']);
  if (secretFile === undefined && process.stdin.isTTY)
    process.stderr.write('The secret, then Enter and Ctrl-D (the terminal shows it):\n');
  const secret = secretFile === undefined ? await readStream(process.stdin) : readFileSync(secretFile, 'utf8');
  const credential = toCredential(kind, username, header, secret.replace(/\r?\n$/, ''));
  const fault = credentialFault(credential);
  if (fault !== undefined) throw new CommandError([`the credential ${fault}`]);
  return credential;
}

function toCredential(
  kind: PlainCredential['kind'],
  username = '',
  header: string | undefined,
  secret: string,
): PlainCredential {
  switch (kind) {
    case 'basic':
      return { kind, username, secret };
    case 'apiKey':
      return { kind, secret, header };
    case 'bearer':
      return { kind, secret };
    default:
      return kind satisfies never;
  }
}

async function checkCredential({ registry }: Backend, id: string): Promise<void> {
  const found = (await registry.listCredentials()).find((each) => each.id === id);
  if (found === undefined || found.revokedAt !== undefined)
    throw new CommandError([`no live credential has the id ${id}: \`triglyph credential list\` prints them`]);
}

function addListCommand(credential: Command): void {
  credential
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the credentials for upstreams without their secrets')
    .addHelpText('after', '\nExample:\n  triglyph upstream credential list --json')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const credentials = await withBackend(({ upstreamCredentials }) => upstreamCredentials.list());
      if (json) print(JSON.stringify(credentials.map(({ sealed: _, ...members }) => members)));
      else if (credentials.length === 0) print('There is no credential for an upstream yet.');
      else printAll(credentials.map(formatCredential));
    });
}

function formatCredential({ upstream, credentialId, kind, createdAt }: UpstreamCredential): string {
  return `${upstream}  ${credentialId}  ${kind}  ${formatMinute(createdAt)}`;
}

function addRemoveCommand(credential: Command): void {
  credential
    .command('remove')
    .argument('<upstream>', 'the name of the upstream')
    .argument('<id>', "the id of the caller's credential")
    .description('removes a credential for an upstream; running servers refuse its caller within a second')
    .addHelpText('after', '\nExample:\n  triglyph upstream credential remove erp cr_Fx0uT4mQ9a1s')
    .action(async (upstream: string, id: string) => {
      const isRemoved = await withBackend(({ upstreamCredentials }) => upstreamCredentials.remove(upstream, id));
      if (!isRemoved) throw new CommandError([`${upstream} has no credential for ${id}`]);
      print(`${upstream} receives no credential for ${id} any more.`);
    });
}
