/** `triglyph credential`: who may call. Works beside a running server, which notices within a second. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CredentialKind, IssuedSecret, ListedCredential } from '../store/sql/credential-registry.ts';
import { beside } from './beside.ts';

interface Printing {
  readonly json?: boolean;
}

interface Wanted extends Printing {
  readonly kind: CredentialKind;
  readonly username?: string;
  readonly account: readonly string[];
  readonly requireIdempotencyKey?: boolean;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const sayIssued = ({ id, username, secret }: IssuedSecret, { json }: Printing): void => {
  if (json) {
    say(JSON.stringify({ id, username, secret }));
    return;
  }
  say(`credential  ${id}`);
  if (username !== undefined) say(`username    ${username}`);
  say(`secret      ${secret}\nIt is shown this once: what is stored cannot be turned back into it.`);
};

const day = (moment: number): string => new Date(moment).toISOString().slice(0, 16).replace('T', ' ');

const lineOf = (credential: ListedCredential): string => {
  const { id, company, kind, username, roles, merchantAccounts, requiresKey, createdAt, revokedAt } = credential;
  return [
    id,
    company,
    kind,
    username ?? '-',
    roles.join(',') || '-',
    merchantAccounts.join(',') || '-',
    day(createdAt),
    requiresKey ? 'key required' : '-',
    revokedAt === undefined ? 'live' : `revoked ${day(revokedAt)}`,
  ].join('  ');
};

const sayList = (credentials: readonly ListedCredential[], { json }: Printing): void => {
  if (json) say(JSON.stringify(credentials));
  else if (credentials.length === 0) say('There is no credential yet.');
  else for (const credential of credentials) say(lineOf(credential));
};

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
    .option('--username <name>', 'for basic; ws@Company.<company> when it is left out')
    .option('--account <code>', 'a merchant account it may act for; repeat it for more', gather, [])
    .option('--require-idempotency-key', 'refuses its writing requests that have no Idempotency-Key')
    .option('--json', 'prints JSON')
    .description('adds a credential with the role recurring and prints its secret, this once')
    .addHelpText('after', '\nExample:\n  triglyph credential add Acme --account AcmeWeb --account AcmeShop')
    .action(async (company: string, { kind, username, account, requireIdempotencyKey: requiresKey, json }: Wanted) => {
      const wanted = { company, kind, username, roles: ['recurring'], merchantAccounts: account, requiresKey } as const;
      sayIssued(await beside(({ registry }) => registry.addCredential(wanted)), { json: json === true });
    });
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
      const issued = await beside(({ registry }) => registry.rotateCredential(id, { graceMs: grace * 60_000 }));
      sayIssued(issued, { json: json === true });
    });
};

const addListAndRevoke = (credential: Command): void => {
  credential
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the credentials, without their secrets')
    .addHelpText('after', '\nExample:\n  triglyph credential list --json')
    .action(async (printing: Printing) => {
      sayList(await beside(({ registry }) => registry.listCredentials()), printing);
    });
  credential
    .command('revoke')
    .argument('<id>', 'the credential, as `credential list` names it')
    .description('revokes a credential; a running server refuses it within a second')
    .addHelpText('after', '\nExample:\n  triglyph credential revoke cr_Fx0uT4mQ9a1s')
    .action(async (id: string) => {
      await beside(({ registry }) => registry.revokeCredential(id));
      say(`${id} is revoked.`);
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
      await beside(({ registry }) => registry.addMerchantAccount(company, code));
      say(`${code} belongs to ${company}.`);
    });
  account
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the merchant accounts with their companies')
    .addHelpText('after', '\nExample:\n  triglyph credential merchant-account list')
    .action(async ({ json }: Printing) => {
      const accounts = await beside(({ registry }) => registry.listMerchantAccounts());
      if (json) say(JSON.stringify(accounts));
      else for (const { company, code } of accounts) say(`${company}  ${code}`);
    });
  account.addHelpText('after', '\nExample:\n  triglyph credential merchant-account add Acme AcmeWeb');
};

export const add = (program: Command): void => {
  const credential = program.command('credential').description('who may call: adds, lists, rotates and revokes');
  addAdd(credential);
  addListAndRevoke(credential);
  addRotate(credential);
  addMerchantAccount(credential);
  credential.addHelpText('after', '\nExample:\n  triglyph credential add Acme --account AcmeWeb');
};
