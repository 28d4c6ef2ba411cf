/** `triglyph import-wsdl`: writes the contract of a WSDL, and reports what it leaves out. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { isTimeZone } from '../../core/contract/index.ts';
import { escapeUnprintable } from '../../core/lib/index.ts';
import { findingLines, type Imported, importWsdl, printFinding, secretLines, Unread } from '../../readers/index.ts';
import { CommandError } from './command-error.ts';
import { notSensitiveOption, readsOption, sensitiveOption } from './reads-option.ts';

export function add(program: Command): void {
  program
    .command('import-wsdl')
    .argument('<wsdl>', 'the WSDL: a file, or a URL with --allow-network')
    .option('--out <file>', 'writes the contract to this file instead of standard output')
    .option('--service <name>', 'the service; by default the first one')
    .option('--port <name>', 'the port; by default the first one of SOAP 1.1')
    .option('--folder <folder>', 'the folder that imported files may be in; by default that of the WSDL')
    .addOption(readsOption())
    .addOption(sensitiveOption())
    .addOption(notSensitiveOption())
    .option('--time-zone <zone>', 'the time zone of a dateTime without one: that of the server, like Europe/London')
    .option('--allow-network', 'reads documents of the network, too')
    .option('--strict', 'fails where anything is left out')
    .option('--json', 'reports in JSON, on standard error')
    .description('writes a contract from a WSDL, and reports what the contract language cannot say')
    .addHelpText(
      'after',
      '\nExample:\n  triglyph import-wsdl OrderService.wsdl --out contract.ts\n\nExit codes: 0 imported, 1 nothing imported, or with --strict something left out.',
    )
    .action(run);
}

interface Options {
  readonly out?: string;
  readonly service?: string;
  readonly port?: string;
  readonly folder?: string;
  readonly timeZone?: string;
  readonly reads?: readonly string[];
  readonly sensitive?: readonly string[];
  readonly notSensitive?: readonly string[];
  readonly allowNetwork?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
}

async function run(wsdl: string, { out, strict, json, allowNetwork = false, ...choice }: Options): Promise<void> {
  if (choice.timeZone !== undefined && !isTimeZone(choice.timeZone))
    throw new CommandError([`--time-zone: ${choice.timeZone} is no time zone like Europe/London`]);
  const imported = await readWsdl(wsdl, { ...choice, allowNetwork, networkHint: 'which --allow-network allows' });
  const isRefused = strict === true && imported.findings.some(({ kind }) => kind === 'refused');
  const report = json ? `${JSON.stringify(reportOf(imported), null, 2)}\n`.split('\n') : linesOf(imported);
  // The terminal would follow the control characters of a document.
  process.stderr.write(report.map(escapeUnprintable).join('\n'));
  if (isRefused) throw new CommandError(['something is left out, and --strict is given: no contract is written']);
  if (out === undefined) process.stdout.write(imported.text());
  else writeFileSync(out, imported.text());
}

/** Reads a WSDL. Throws CommandError where nothing of it can be imported. */
export async function readWsdl(wsdl: string, options: Parameters<typeof importWsdl>[1]): Promise<Imported> {
  try {
    return await importWsdl(wsdl, options);
  } catch (thrown) {
    if (thrown instanceof Unread)
      throw new CommandError([escapeUnprintable(thrown.message), ...thrown.findings.map(printFinding)]);
    throw thrown;
  }
}

/** The first service has members of its own; `operations` are those of all services. */
function reportOf({ services: imported, findings }: Imported) {
  const services = imported.map(({ service: { name, version, address, operations }, location }) => ({
    service: name,
    version,
    address,
    location,
    operations: [...operations.keys()],
  }));
  const operations = services.flatMap((each) => each.operations);
  const [{ service, version, address } = {}] = services;
  return { service, version, address, operations, services, findings };
}

/** What was imported, and each kind of finding. */
export function linesOf({ services, findings }: Pick<Imported, 'services' | 'findings'>): readonly string[] {
  const found = services.map(({ service: { name, version, address, operations } }) => {
    const count = operations.size === 1 ? '1 operation' : `${operations.size} operations`;
    return `${name} version ${version} at ${address}: ${count}`;
  });
  const secrets = services.flatMap((each) => each.secrets);
  return [...found, ...findingLines(findings, printFinding), ...secretLines(secrets), ''];
}
