/** `triglyph credential`: the credentials of callers, their merchant accounts and their balance platforms. */
import { existsSync, readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { GrantRule } from '../../access/index.ts';
import { credentialRulesOf } from '../../backend/index.ts';
import { knownRoles, type Output } from '../../core/contract/index.ts';
import { formatMinute } from '../../core/lib/index.ts';
import {
  addCredential,
  editCredential,
  listCredentials,
  operatorRoles,
  removeSecondFactor,
  replaceRecoveryCodes,
  revokeCredential,
  rotateCredential,
  setSecondFactor,
} from '../../operators/index.ts';
import { merchantAccountRule, platformRule } from '../../payments/index.ts';
import { addOperation, type Given, linesOf } from './operator-command.ts';
import { projectServices, servesBuiltIn, tenantOperand } from './project.ts';
import { servedServices } from './project-upstreams.ts';

export function add(program: Command): void {
  const credential = program.command('credential').description('adds, edits, lists, rotates and revokes credentials');
  addAddCommand(credential);
  addOperation(credential, 'list', listCredentials, {
    doc: 'lists the credentials without their secrets',
    example: 'triglyph credential list --json',
    json: ({ credentials }) => credentials.map(toJson),
    text: ({ credentials }) => linesOf(credentials, partsOf, 'There is no credential yet.'),
  });
  addOperation(credential, 'revoke', revokeCredential, {
    operands: { id: 'id' },
    example: 'triglyph credential revoke cr_Fx0uT4mQ9a1s',
    text: ({ id }) => [`${id} is revoked.`],
  });
  addOperation(credential, 'edit', editCredential, {
    operands: { id: 'id' },
    flags: limitFlags,
    options: [new Option('--no-read-only', 'authorizes operations that write, too')],
    example: () =>
      `Example:\n  triglyph credential edit cr_Fx0uT4mQ9a1s --role ${exampleRole()} --expires 90d\n` +
      `  triglyph credential edit cr_Fx0uT4mQ9a1s --certificate old.pem --certificate new.pem\n\n${roleText()}`,
    input: (given, command) => withCertificates(withKnownRoles(given, command)),
    text: ({ id }) => [`${id} is changed.`],
  });
  addOperation(credential, 'rotate', rotateCredential, {
    operands: { id: 'id' },
    flags: { grace: '--grace <minutes>' },
    example: 'triglyph credential rotate cr_Fx0uT4mQ9a1s --grace 1440',
    json: issuedJson,
    text: issuedText,
  });
  addSecondFactorCommands(credential);
  credential.addHelpText('after', `\nExample:\n  ${addExamples()[0]}`);
}

const limitFlags = {
  expires: '--expires <time>',
  from: '--from <network>',
  certificate: '--certificate <certificate>',
} as const;

/** A role of a caller that this gateway knows. */
function exampleRole(): string {
  return servesBuiltIn() ? 'recurring:list' : (knownRoles(servedServices())[0] ?? operatorRoles[0]!);
}

function addExamples(): readonly string[] {
  const limits = `--role ${exampleRole()} --expires 90d --from 192.0.2.0/24`;
  if (!servesBuiltIn())
    return [
      `triglyph credential add acme --kind apiKey ${limits}`,
      'triglyph credential add acme --username anna@Tenant.acme --role console-admin',
    ];
  return [
    'triglyph credential add Acme --account AcmeWeb --account AcmeShop',
    `triglyph credential add Acme --account AcmeWeb ${limits}`,
    'triglyph credential add Acme --balance-platform AcmePlatform',
  ];
}

function roleText(): string {
  return `Roles: ${knownRoles(servedServices()).join(', ')}. Options with a network, a certificate or a role may be repeated.`;
}

function addAddCommand(credential: Command): void {
  const taken = ['kind', 'username', 'role', 'readOnly', ...Object.keys(limitFlags), 'requireIdempotencyKey'];
  const grants = createGrantOptions([
    ...credential.parent!.options.map((option) => option.attributeName()),
    ...[...taken, 'json', 'help'],
  ]);
  addOperation(credential, 'add', addCredential, {
    doc: servesBuiltIn()
      ? 'adds a credential for merchant accounts (role recurring) or for a balance platform, and prints its secret once'
      : 'adds a credential, and prints its secret once',
    operands: { [tenantOperand()]: 'tenant' },
    flags: { ...limitFlags, grants: null, username: '--username <name>' },
    options: grants.map(({ option }) => option),
    example: () =>
      `Example:\n${addExamples()
        .map((each) => `  ${each}\n`)
        .join('')}\n${roleText()}`,
    input(given, command) {
      const attributes = grants.map(({ option }) => option.attributeName());
      const others = Object.entries(withKnownRoles(given, command)).filter(([name]) => !attributes.includes(name));
      return withCertificates({
        ...Object.fromEntries(others),
        grants: grants.flatMap(({ rule: { name }, option }) => {
          const values = given[option.attributeName()];
          return values === undefined ? [] : [{ name, values }];
        }),
      });
    },
    json: issuedJson,
    text: issuedText,
  });
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

/** Ends the command with a usage error for a role that does not exist. */
function withKnownRoles(given: Given, command: Command): Given {
  const roles = knownRoles(servedServices());
  const unknown = Array.isArray(given.role) ? given.role.find((role: string) => !roles.includes(role)) : undefined;
  if (unknown !== undefined)
    command.error(
      `error: option '--role <role>' argument '${unknown}' is invalid. Allowed choices are ${roles.join(', ')}.`,
    );
  return given;
}

/** A certificate may be the name of a file. */
function withCertificates({ certificate, ...given }: Given): Given {
  if (!Array.isArray(certificate)) return given;
  return {
    ...given,
    certificate: certificate.map((each: string) => (existsSync(each) ? readFileSync(each, 'utf8') : each)),
  };
}

type Credential = Output<typeof listCredentials>['credentials'][number];

/** Names the tenant and the grants of the built-in services as callers do. Other grants keep their names, below `grants`. */
function toJson({ id, tenant: company, kind, username, roles, grants, ...rest }: Credential) {
  const all = Object.fromEntries(grants.map(({ name, values }) => [name, values]));
  const { [merchantAccountRule.name]: merchantAccounts = [], [platformRule.name]: platforms = [], ...others } = all;
  const own = Object.keys(others).length === 0 ? {} : { grants: others };
  return { id, company, kind, username, roles, merchantAccounts, balancePlatform: platforms[0], ...own, ...rest };
}

function partsOf(credential: Credential): readonly string[] {
  const { id, tenant, kind, username, roles, grants, requiresKey, createdAt, lastUsedAt } = credential;
  const { readOnly, networks, certificates, secondFactorAt } = credential;
  return [
    ...[id, tenant, kind, username ?? '-', roles.join(',') || '-'],
    grants.flatMap(({ values }) => values).join(',') || '-',
    formatMinute(createdAt),
    requiresKey ? 'key required' : '-',
    // What most credentials lack has no column.
    ...(readOnly ? ['read only'] : []),
    ...(networks === undefined ? [] : [`from ${networks.join(',')}`]),
    // Enough to tell certificates apart; JSON has all of it.
    ...(certificates === undefined ? [] : [`certificate ${certificates.map((each) => each.slice(0, 12)).join(',')}`]),
    ...(secondFactorAt === undefined ? [] : ['second factor']),
    lastUsedAt === undefined ? 'not used' : `used ${formatMinute(lastUsedAt)}`,
    stateOf(credential, Date.now()),
  ];
}

function stateOf({ revokedAt, expiresAt, altered }: Credential, now: number): string {
  if (altered) return 'ALTERED in the database: refused';
  if (revokedAt !== undefined) return `revoked ${formatMinute(revokedAt)}`;
  if (expiresAt === undefined) return 'live';
  return expiresAt <= now ? `expired ${formatMinute(expiresAt)}` : `expires ${formatMinute(expiresAt)}  live`;
}

type Issued = Output<typeof addCredential>;

function issuedJson({ id, username, secret }: Issued) {
  return { id, username, secret };
}

/** The secret is near the top and in one write: `head` and closed pipes must not lose it. */
function issuedText({ id, username, secret }: Issued): readonly string[] {
  if (secret === undefined) return [`credential  ${id}`];
  return [
    ...(username === undefined ? [] : [`username    ${username}`]),
    `secret      ${secret}`,
    `credential  ${id}`,
    'The secret is printed only once: the store holds a hash of it.',
  ];
}

function addSecondFactorCommands(credential: Command): void {
  const example = 'triglyph credential second-factor set cr_Fx0uT4mQ9a1s';
  const operands = { id: 'id' } as const;
  const factor = credential
    .command('second-factor')
    .description('sets up and removes the second factor of people who log in to the console');
  addOperation(factor, 'set', setSecondFactor, {
    operands,
    example,
    json: (issued) => issued,
    text: ({ id, key, uri, recoveryCodes }) => [
      `key         ${key}`,
      `uri         ${uri}`,
      ...recoveryLines(recoveryCodes),
      `credential  ${id}`,
      'These are printed only once: the store holds the key sealed, and hashes of the recovery codes.',
    ],
  });
  addOperation(factor, 'recovery-codes', replaceRecoveryCodes, {
    operands,
    example: 'triglyph credential second-factor recovery-codes cr_Fx0uT4mQ9a1s',
    json: (issued) => issued,
    text: ({ id, recoveryCodes }) => [...recoveryLines(recoveryCodes), `credential  ${id}`],
  });
  addOperation(factor, 'remove', removeSecondFactor, {
    operands,
    example: 'triglyph credential second-factor remove cr_Fx0uT4mQ9a1s',
    text: ({ id }) => [`${id} has no second factor any more.`],
  });
  factor.addHelpText('after', `\nExample:\n  ${example}`);
}

function recoveryLines(codes: readonly string[]): readonly string[] {
  return codes.map((code) => `recovery    ${code}`);
}
