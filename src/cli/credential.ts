/** `triglyph credential`: the credentials of callers, their merchant accounts and their balance platforms. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { credentialRulesOf } from '../backend/compose-services.ts';
import type { IssuedSecret } from '../callers/credentials/add-credential.ts';
import { type GrantRule, rolesOf, type StoredKind } from '../callers/credentials/credential-rules.ts';
import { platformStatus } from '../services/balance-platform/balance-platforms/contract.ts';
import type { Platform } from '../services/balance-platform/balance-platforms/platform.ts';
import { balancePlatform } from '../services/balance-platform/index.ts';
import { recurring } from '../services/recurring/index.ts';
import { CommandError } from './command-error.ts';
import { addEditCommand } from './credential/edit.ts';
import { createLimitOptions, type LimitOptions, roleOption } from './credential/limits.ts';
import { listCredentials } from './credential/list.ts';
import { print, printAll } from './output.ts';
import { projectServices } from './project.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const credential = program.command('credential').description('adds, edits, lists, rotates and revokes credentials');
  addAddCommand(credential);
  addListCommand(credential);
  addRevokeCommand(credential);
  addEditCommand(credential);
  addRotateCommand(credential);
  addMerchantAccountCommands(credential);
  addBalancePlatformCommands(credential);
  credential.addHelpText('after', '\nExample:\n  triglyph credential add Acme --account AcmeWeb');
}

interface OutputOptions {
  readonly json?: boolean;
}

interface AddOptions extends OutputOptions, LimitOptions {
  readonly kind: StoredKind;
  readonly username?: string;
  readonly requireIdempotencyKey?: boolean;
}

/** The values of each grant, by the attribute of its option. */
type GrantOptions = Readonly<Record<string, readonly string[] | undefined>>;

function addAddCommand(credential: Command): void {
  const command = credential
    .command('add')
    .argument('<company>', 'the company that the credential belongs to')
    .addOption(
      new Option('--kind <kind>', 'how callers present it; certificate: by --certificate alone, without a secret')
        .choices(['basic', 'apiKey', 'certificate'])
        .default('basic'),
    )
    .option(
      '--username <name>',
      'for basic; the default is ws@Company.<company>, or ws@BalancePlatform.<company> with --balance-platform',
    );
  const others = [
    roleOption('a role, instead of the one that a grant brings along; repeat it for more'),
    new Option('--read-only', 'authorizes operations that read, and no others'),
    ...createLimitOptions(),
    new Option('--require-idempotency-key', 'refuses writing requests without an Idempotency-Key'),
    new Option('--json', 'prints JSON'),
  ];
  const taken = [...credential.parent!.options, ...command.options, ...others, new Option('--help')];
  const grantOptions = createGrantOptions(taken.map((option) => option.attributeName()));
  for (const option of [...grantOptions.map(({ option }) => option), ...others]) command.addOption(option);
  command
    .description(
      'adds a credential for merchant accounts (role recurring) or for a balance platform, and prints its secret once',
    )
    .addHelpText(
      'after',
      '\nExample:\n  triglyph credential add Acme --account AcmeWeb --account AcmeShop\n' +
        '  triglyph credential add Acme --account AcmeWeb --role recurring:list --expires 90d --from 192.0.2.0/24\n' +
        '  triglyph credential add Acme --balance-platform AcmePlatform',
    )
    .action((tenant: string, options: AddOptions & GrantOptions) => addCredential(tenant, options, grantOptions));
}

interface GrantOption {
  readonly rule: GrantRule;
  readonly option: Option;
}

/** One option for each grant that a service declares. A confined credential takes no other grant. `taken`: attributes. */
function createGrantOptions(taken: readonly string[]): readonly GrantOption[] {
  const { grants } = credentialRulesOf(projectServices());
  const attributes = new Set(taken);
  const options = grants.map((rule) => ({ rule, option: createGrantOption(rule, attributes) }));
  for (const { rule, option } of options) {
    const others = options.filter((each) => each.rule !== rule);
    if (rule.confined) option.conflicts(others.map((each) => each.option.attributeName()));
  }
  return options;
}

/** A grant of one's own may be named like another option: `--kind` is then `--grant-kind`. */
function createGrantOption({ option: { flags, doc }, confined }: GrantRule, taken: Set<string>): Option {
  let option = new Option(flags, doc);
  while (taken.has(option.attributeName())) option = new Option(option.flags.replace('--', '--grant-'), doc);
  taken.add(option.attributeName());
  return option.argParser<readonly string[]>((code, codes = []) => (confined ? [code] : [...codes, code]));
}

async function addCredential(
  tenant: string,
  options: AddOptions & GrantOptions,
  grantOptions: readonly GrantOption[],
): Promise<void> {
  const { kind, username, role = [], requireIdempotencyKey: requiresKey } = options;
  const { readOnly, expires: expiresAt, from: networks, certificate: certificates } = options;
  const given = grantOptions.flatMap(({ rule, option }) => {
    const values = options[option.attributeName()];
    return values === undefined ? [] : [{ rule, values }];
  });
  // A role that uses the grant says what the credential may do with it.
  const brought = given.flatMap(({ rule }) => (rolesOf(rule).some((each) => role.includes(each)) ? [] : [rule.role]));
  const roles = [...new Set([...role, ...brought])];
  if (roles.length === 0) {
    const flags = grantOptions.map(({ option }) => option.long).join(', ');
    throw new CommandError([`name what the credential authorizes: ${flags} or --role`]);
  }
  const grants = Object.fromEntries(given.map(({ rule, values }) => [rule.name, values]));
  const credential = { tenant, roles, grants, requiresKey, readOnly, expiresAt, networks, certificates };
  if (kind !== 'certificate') {
    const add = { ...credential, kind, username };
    printIssued(await withBackend(({ registry }) => registry.addCredential(add)), options);
    return;
  }
  if (username !== undefined) throw new CommandError(['a certificate has no username']);
  const bound = { ...credential, certificates: certificates ?? [] };
  const { id } = await withBackend(({ registry }) => registry.addCertificateCredential(bound));
  print(options.json ? JSON.stringify({ id }) : `credential  ${id}`);
}

function addRotateCommand(credential: Command): void {
  credential
    .command('rotate')
    .argument('<id>', 'the id that `credential list` prints')
    .option('--grace <minutes>', 'how long the previous secret remains valid', parseMinutes, 60)
    .option('--json', 'prints JSON')
    .description('issues a new secret for a credential and prints it once')
    .addHelpText('after', '\nExample:\n  triglyph credential rotate cr_Fx0uT4mQ9a1s --grace 1440')
    .action(async (id: string, options: OutputOptions & { readonly grace: number }) => {
      const graceMs = options.grace * 60_000;
      printIssued(await withBackend(({ registry }) => registry.rotateCredential(id, { graceMs })), options);
    });
}

function addListCommand(credential: Command): void {
  credential
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the credentials without their secrets')
    .addHelpText('after', '\nExample:\n  triglyph credential list --json')
    .action(listCredentials);
}

function addRevokeCommand(credential: Command): void {
  credential
    .command('revoke')
    .argument('<id>', 'the id that `credential list` prints')
    .description('revokes a credential; running servers refuse it within a second')
    .addHelpText('after', '\nExample:\n  triglyph credential revoke cr_Fx0uT4mQ9a1s')
    .action(async (id: string) => {
      await withBackend(({ registry }) => registry.revokeCredential(id));
      print(`${id} is revoked.`);
    });
}

function addMerchantAccountCommands(credential: Command): void {
  const account = credential.command('merchant-account').description('adds and lists merchant accounts');
  account
    .command('add')
    .argument('<company>', 'the company of the account; its first account creates the company')
    .argument('<code>', 'the merchantAccount of requests')
    .description('adds a merchant account')
    .addHelpText('after', '\nExample:\n  triglyph credential merchant-account add Acme AcmeWeb')
    .action(async (company: string, code: string) => {
      await withBackend((backend) => recurring.sharedIn(backend).registry.addMerchantAccount(company, code));
      print(`${code} belongs to ${company}.`);
    });
  account
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the merchant accounts with their companies')
    .addHelpText('after', '\nExample:\n  triglyph credential merchant-account list')
    .action(async ({ json }: OutputOptions) => {
      const accounts = await withBackend((backend) => recurring.sharedIn(backend).registry.listMerchantAccounts());
      if (json) print(JSON.stringify(accounts));
      else printAll(accounts.map(({ company, code }) => `${company}  ${code}`));
    });
  account.addHelpText('after', '\nExample:\n  triglyph credential merchant-account add Acme AcmeWeb');
}

interface PlatformOptions {
  readonly description?: string;
  readonly status: Platform['status'];
  readonly timeZone: string;
}

function addBalancePlatformCommands(credential: Command): void {
  const example =
    '\nExample:\n  triglyph credential balance-platform add Acme AcmePlatform --time-zone Europe/Amsterdam';
  const platform = credential
    .command('balance-platform')
    .description('adds, changes and lists balance platforms')
    .addHelpText('after', example);
  platform
    .command('add')
    .argument('<company>', 'the company of the balance platform')
    .argument('<code>', 'the id of the balance platform in requests')
    .option('--description <text>', 'the description that responses return')
    .addOption(
      new Option('--status <status>', 'only an Active platform may get resources')
        .choices(platformStatus.values)
        .default('Active'),
    )
    .option('--time-zone <name>', 'the time zone of account holders without one', 'Europe/Amsterdam')
    .description('adds a balance platform, or changes it')
    .addHelpText('after', example)
    .action(async (company: string, id: string, { description, status, timeZone }: PlatformOptions) => {
      const saved = { id, company, description, status, timeZone };
      await withBackend((backend) => balancePlatform.sharedIn(backend).registry.saveBalancePlatform(saved));
      print(`${id} belongs to ${company}.`);
    });
  platform
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the balance platforms with their companies')
    .addHelpText('after', '\nExample:\n  triglyph credential balance-platform list')
    .action(async ({ json }: OutputOptions) => {
      const platforms = await withBackend((backend) =>
        balancePlatform.sharedIn(backend).registry.listBalancePlatforms(),
      );
      if (json) print(JSON.stringify(platforms));
      else printAll(platforms.map(({ company, id, status, timeZone }) => [company, id, status, timeZone].join('  ')));
    });
}

/** Prints the secret near the top and in one write: `head` and closed pipes must not lose it. */
function printIssued({ id, username, secret }: IssuedSecret, { json }: OutputOptions): void {
  if (json) {
    print(JSON.stringify({ id, username, secret }));
    return;
  }
  print(
    ...(username === undefined ? [] : [`username    ${username}`]),
    `secret      ${secret}`,
    `credential  ${id}`,
    'The secret is printed only once: the store holds a hash of it.',
  );
}

function parseMinutes(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give whole minutes, up to 999999.');
  return Number(text);
}
