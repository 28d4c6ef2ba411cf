/** `triglyph credential`: who may call. Works beside a running server, which notices within a second. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { platformStatus } from '../services/balance-platform/balance-platforms/contract.ts';
import type { Platform } from '../services/balance-platform/resource.ts';
import type { CredentialKind, IssuedSecret, ListedCredential } from '../store/sql/credential-registry.ts';
import { formatMinute, print, printAll } from './output.ts';
import { withBackend } from './with-backend.ts';

interface Printing {
  readonly json?: boolean;
}

interface Wanted extends Printing {
  readonly kind: CredentialKind;
  readonly username?: string;
  readonly account: readonly string[];
  readonly balancePlatform?: string;
  readonly requireIdempotencyKey?: boolean;
}

/** Prints the secret near the top and in one write: `head` and closed pipes must not lose it. */
function printIssued({ id, username, secret }: IssuedSecret, { json }: Printing): void {
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

function formatCredential(credential: ListedCredential): string {
  const { id, company, kind, username, roles, merchantAccounts, requiresKey, createdAt, revokedAt } = credential;
  const scope = credential.balancePlatform ?? merchantAccounts.join(',');
  return [
    id,
    company,
    kind,
    username ?? '-',
    roles.join(',') || '-',
    scope || '-',
    formatMinute(createdAt),
    requiresKey ? 'key required' : '-',
    revokedAt === undefined ? 'live' : `revoked ${formatMinute(revokedAt)}`,
  ].join('  ');
}

function printList(credentials: readonly ListedCredential[], { json }: Printing): void {
  if (json) print(JSON.stringify(credentials));
  else print(credentials.length === 0 ? 'There is no credential yet.' : credentials.map(formatCredential).join('\n'));
}

const minutes = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give whole minutes, up to 999999.');
  return Number(text);
};

const gather = (code: string, codes: readonly string[]): readonly string[] => [...codes, code];

const addAdd = (credential: Command): void => {
  credential
    .command('add')
    .argument('<company>', 'the company that the credential belongs to')
    .addOption(new Option('--kind <kind>', 'how it is shown').choices(['basic', 'apiKey']).default('basic'))
    .option(
      '--username <name>',
      'for basic; ws@Company.<company>, or ws@BalancePlatform.<company>, when it is left out',
    )
    .option('--account <code>', 'a merchant account it may act for; repeat it for more', gather, [])
    .addOption(
      new Option('--balance-platform <code>', 'the one balance platform that it acts for').conflicts('account'),
    )
    .option('--require-idempotency-key', 'refuses its writing requests that have no Idempotency-Key')
    .option('--json', 'prints JSON')
    .description(
      'adds a credential for merchant accounts (role recurring) or for a balance platform, and prints its secret, this once',
    )
    .addHelpText(
      'after',
      '\nExample:\n  triglyph credential add Acme --account AcmeWeb --account AcmeShop\n  triglyph credential add Acme --balance-platform AcmePlatform',
    )
    .action(
      async (
        company: string,
        { account, balancePlatform, requireIdempotencyKey: requiresKey, json, ...shown }: Wanted,
      ) => {
        const roles = [balancePlatform === undefined ? 'recurring' : 'balancePlatform'] as const;
        const { kind, username } = shown;
        const wanted = { company, kind, username, roles, merchantAccounts: account, balancePlatform, requiresKey };
        printIssued(await withBackend(({ registry }) => registry.addCredential(wanted)), { json: json === true });
      },
    );
};

const addRotate = (credential: Command): void => {
  credential
    .command('rotate')
    .argument('<id>', 'the credential, as `credential list` names it')
    .option('--grace <minutes>', 'how long the secret before stays good', minutes, 60)
    .option('--json', 'prints JSON')
    .description('gives a credential a new secret and prints it, this once')
    .addHelpText('after', '\nExample:\n  triglyph credential rotate cr_Fx0uT4mQ9a1s --grace 1440')
    .action(async (id: string, { grace, json }: Printing & { readonly grace: number }) => {
      const issued = await withBackend(({ registry }) => registry.rotateCredential(id, { graceMs: grace * 60_000 }));
      printIssued(issued, { json: json === true });
    });
};

const addListAndRevoke = (credential: Command): void => {
  credential
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the credentials, without their secrets')
    .addHelpText('after', '\nExample:\n  triglyph credential list --json')
    .action(async (printing: Printing) => {
      printList(await withBackend(({ registry }) => registry.listCredentials()), printing);
    });
  credential
    .command('revoke')
    .argument('<id>', 'the credential, as `credential list` names it')
    .description('revokes a credential; a running server refuses it within a second')
    .addHelpText('after', '\nExample:\n  triglyph credential revoke cr_Fx0uT4mQ9a1s')
    .action(async (id: string) => {
      await withBackend(({ registry }) => registry.revokeCredential(id));
      print(`${id} is revoked.`);
    });
};

const addMerchantAccount = (credential: Command): void => {
  const account = credential.command('merchant-account').description('the merchant accounts that credentials act for');
  account
    .command('add')
    .argument('<company>', 'the company it belongs to; it comes to be with its first account')
    .argument('<code>', 'the merchant account, as requests name it')
    .description('makes a merchant account known')
    .addHelpText('after', '\nExample:\n  triglyph credential merchant-account add Acme AcmeWeb')
    .action(async (company: string, code: string) => {
      await withBackend(({ registry }) => registry.addMerchantAccount(company, code));
      print(`${code} belongs to ${company}.`);
    });
  account
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the merchant accounts with their companies')
    .addHelpText('after', '\nExample:\n  triglyph credential merchant-account list')
    .action(async ({ json }: Printing) => {
      const accounts = await withBackend(({ registry }) => registry.listMerchantAccounts());
      if (json) print(JSON.stringify(accounts));
      else printAll(accounts.map(({ company, code }) => `${company}  ${code}`));
    });
  account.addHelpText('after', '\nExample:\n  triglyph credential merchant-account add Acme AcmeWeb');
};

interface WantedPlatform {
  readonly description?: string;
  readonly status: Platform['status'];
  readonly timeZone: string;
}

const addBalancePlatform = (credential: Command): void => {
  const example =
    '\nExample:\n  triglyph credential balance-platform add Acme AcmePlatform --time-zone Europe/Amsterdam';
  const platform = credential
    .command('balance-platform')
    .description('the balance platforms that credentials act for')
    .addHelpText('after', example);
  platform
    .command('add')
    .argument('<company>', 'the company it belongs to')
    .argument('<code>', 'the balance platform, as requests name it')
    .option('--description <text>', 'what answers say of it')
    .addOption(new Option('--status <status>', 'whether it may grow').choices(platformStatus.values).default('Active'))
    .option('--time-zone <name>', 'the time zone of account holders that name none', 'Europe/Amsterdam')
    .description('makes a balance platform known; again, it changes it')
    .addHelpText('after', example)
    .action(async (company: string, id: string, { description, status, timeZone }: WantedPlatform) => {
      await withBackend(({ registry }) => registry.saveBalancePlatform({ id, company, description, status, timeZone }));
      print(`${id} belongs to ${company}.`);
    });
  platform
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the balance platforms with their companies')
    .addHelpText('after', '\nExample:\n  triglyph credential balance-platform list')
    .action(async ({ json }: Printing) => {
      const platforms = await withBackend(({ registry }) => registry.listBalancePlatforms());
      if (json) print(JSON.stringify(platforms));
      else printAll(platforms.map(({ company, id, status, timeZone }) => [company, id, status, timeZone].join('  ')));
    });
};

export const add = (program: Command): void => {
  const credential = program.command('credential').description('who may call: adds, lists, rotates and revokes');
  addAdd(credential);
  addListAndRevoke(credential);
  addRotate(credential);
  addMerchantAccount(credential);
  addBalancePlatform(credential);
  credential.addHelpText('after', '\nExample:\n  triglyph credential add Acme --account AcmeWeb');
};
