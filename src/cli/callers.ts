/** `triglyph callers`: who calls which operation in which format, and the last call of each as the JSON call that replaces it. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { languageNames } from '../convert/call-source.ts';
import { protocolNames } from '../formats/index.ts';
import { listCallers } from './callers/list.ts';
import { showCall } from './callers/show.ts';
import { originOption } from './origin-option.ts';

export function add(program: Command): void {
  const callers = program
    .command('callers')
    .description('lists who calls which operation, in which version and format, with which client; last used first')
    .option('--format <formats>', 'only these formats, with commas between them: soap11,soap12', parseFormats)
    .option('--service <services>', 'only these services')
    .option('--operation <operations>', 'only these operations')
    .option('--version <versions>', 'only these versions of the address; none: addresses without a version')
    .option(
      '--credential <credentials>',
      'only these credentials, by id or username; none: requests without a valid one',
    )
    .option('--since <time>', 'only those used since then, with the counts since then: 2026-12-01, or 30d')
    .addOption(new Option('--json', 'prints JSON').conflicts('csv'))
    .option('--csv', 'prints CSV')
    .addHelpText('after', '\nExample:\n  triglyph callers --format soap11,soap12 --since 30d')
    .action(listCallers);
  callers
    .command('show')
    .argument('<id>', 'the id that `callers` prints')
    .addOption(
      new Option('--as <language>', 'the language of the call').choices(['json', ...languageNames]).default('json'),
    )
    .addOption(originOption('the address of the service; by default PUBLIC_URL'))
    .description('prints the last call of a caller as the JSON call that replaces it; secrets are masked')
    .addHelpText('after', '\nExample:\n  triglyph callers show 0f1e2d3c4b5a6978 --as php')
    .action(showCall);
}

/** `other`: what exceeds the limit of records. `none`: requests whose format is not known. */
const formatNames: readonly string[] = Object.freeze([...protocolNames, 'other', 'none']);

function parseFormats(text: string): string {
  const unknown = text.split(',').find((each) => !formatNames.includes(each.trim()));
  if (unknown === undefined) return text;
  throw new InvalidArgumentError(`The formats are ${formatNames.join(', ')}.`);
}
