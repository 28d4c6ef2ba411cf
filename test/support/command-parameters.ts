/** All commands of the program, each with parameters that it accepts; most of these name nothing that exists. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { builtInServices } from '../../src/payments/index.ts';
import { addServiceCommands, serviceCommandNames } from '../../src/program/cli/service-commands.ts';

const root = join(import.meta.dirname, '../..');
/** The program with all its commands. */
export const program = new Command('triglyph');
for (const file of globSync('src/program/cli/*.ts', { cwd: root })) {
  const module = (await import(join(root, file))) as { add?: (program: Command) => void };
  module.add?.(program);
}
for (const name of new Set(serviceCommandNames(builtInServices)))
  await addServiceCommands(program, builtInServices, name);

/** Every command that can be executed, such as `credential merchant-account add`. */
export const commands = commandsOf(program);

/** Groups of commands have no options of their own. */
function commandsOf(parent: Command, before: readonly string[] = []): readonly string[] {
  return parent.commands.flatMap((each) => {
    const words = [...before, each.name()];
    const acts = each.commands.length === 0 || each.options.length > 0;
    return [...(acts ? [words.join(' ')] : []), ...commandsOf(each, words)];
  });
}

/** Of commands over a store that the audit log records. `secret` is a file. */
export const recordedCommands: Readonly<Record<string, readonly string[]>> = {
  'audit show': [],
  'audit verify': [],
  backup: ['backup.db'],
  callers: [],
  'callers owner list': [],
  'callers owner remove': ['cr_unknown'],
  'callers owner set': ['cr_unknown', '--name', 'Anna', '--address', 'anna@example.com'],
  'callers readiness': [],
  'callers show': ['0f1e2d3c4b5a6978'],
  compact: [],
  copy: ['--from', 'sqlite:./data', '--to', 'sqlite:./copied'],
  'credential add': ['Acme', '--account', 'AcmeWeb'],
  'credential balance-platform add': ['Acme', 'AcmePlatform'],
  'credential balance-platform list': [],
  'credential edit': ['cr_unknown', '--read-only'],
  'credential list': [],
  'credential merchant-account add': ['Acme', 'AcmeShop'],
  'credential merchant-account list': [],
  'credential revoke': ['cr_unknown'],
  'credential rotate': ['cr_unknown'],
  'credential second-factor recovery-codes': ['cr_unknown'],
  'credential second-factor remove': ['cr_unknown'],
  'credential second-factor set': ['cr_unknown'],
  'deprecations add': ['--format', 'form'],
  'deprecations change': ['dp_unknown', '--format', 'form'],
  'deprecations exempt': ['dp_unknown', 'cr_unknown'],
  'deprecations list': [],
  'deprecations remove': ['dp_unknown'],
  import: ['rows.jsonl'],
  'keys add': ['--standby', 'keys'],
  'keys rotate': [],
  'keys status': [],
  'keys use': ['keys', 'k-unknown'],
  'keys sign-rows': ['--unsigned'],
  'keys verify-rows': [],
  migrate: [],
  'pending list': [],
  'pending record': ['Acme', '--key-file', 'secret'],
  'pending settle': ['unknown', '--not-done'],
  'pending show': ['unknown'],
  'platform show': ['AcmePlatform'],
  'records accept-loss': [],
  report: [],
  restore: ['backup.db'],
  'retention apply': [],
  'retention show': [],
  'shadow accept': ['unknown', '--reason', 'x'],
  'shadow back': ['erp'],
  'shadow differences': [],
  'shadow list': [],
  'shadow reopen': ['unknown'],
  'shadow share': ['erp', '10'],
  'shadow switch': ['erp', '10'],
  'shopper erase': ['AcmeWeb', 'unknown'],
  'shopper show': ['AcmeWeb', 'unknown'],
  'updates answer': ['rows.jsonl'],
  'updates gather': [],
  'updates import': ['rows.jsonl'],
  'upstream credential list': [],
  'upstream credential remove': ['erp', 'cr_unknown'],
  'upstream credential set': ['erp', 'cr_unknown', '--kind', 'bearer', '--secret-file', 'secret'],
  'webhooks endpoint add': ['Acme', 'https://shop.example.com/webhooks'],
  'webhooks endpoint list': [],
  'webhooks endpoint remove': ['we_unknown'],
  'webhooks jobs': [],
  'webhooks list': [],
  'webhooks retry': ['dl_unknown'],
  'webhooks rotate': ['we_unknown'],
};
/** Recorded as well, each in a way of its own. */
export const otherRecordedCommands = ['demo', 'keys wrap', 'replay'];
export const unrecordedCommands: Readonly<Record<string, readonly string[]>> = {
  check: [],
  convert: ['message.json', '--to', 'json'],
  'import-wsdl': ['rows.jsonl'],
  'keys create': ['other-keys'],
  mock: ['--wsdl', 'rows.jsonl'],
  openapi: [],
  'recording export': ['rows.jsonl', '--as', 'har', '--out', 'rows.har'],
  'recording import': ['rows.jsonl', '--out', 'recording.jsonl'],
  wsdl: [],
};
