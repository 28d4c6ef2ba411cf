/** `triglyph deprecations`: the calls that are deprecated, when they are refused, and who is exempt. Servers need no restart. */
import type { Command } from 'commander';
import { exempt } from './deprecations/exempt.ts';
import { listDeprecations } from './deprecations/list.ts';
import { addRuleOptions } from './deprecations/rule-options.ts';
import { addDeprecation, changeDeprecation, removeDeprecation } from './deprecations/set.ts';

const windows = `A brown-out is one window or one that repeats, in the time zone or in UTC:
  2027-03-02T09:00:00Z/2027-03-02T09:15:00Z
  "tuesday 09:00-09:30 Europe/Amsterdam"
  "day 23:45-00:15"`;

export function add(program: Command): void {
  const deprecations = program
    .command('deprecations')
    .description('manages deprecated calls and brown-outs; running servers notice changes within two seconds');
  deprecations
    .command('list')
    .option('--json', 'prints JSON')
    .description('lists the deprecations of the configuration file and those that were added')
    .addHelpText('after', '\nExample:\n  triglyph deprecations list')
    .action(listDeprecations);
  addRuleOptions(deprecations.command('add'))
    .option('--dry-run', 'changes nothing, and lists the callers of the last 30 days that it concerns')
    .description('deprecates calls: those that have all of the given values')
    .addHelpText(
      'after',
      `\n${windows}\n\nExample:\n  triglyph deprecations add --format soap11,soap12 --sunset 2027-06-30 --brown-out "tuesday 09:00-09:30" --dry-run`,
    )
    .action(addDeprecation);
  addRuleOptions(deprecations.command('change').argument('<id>', 'the id that `deprecations list` prints'), true)
    .option('--dry-run', 'changes nothing, and lists the callers of the last 30 days that it concerns')
    .description('changes a deprecation that was added; what is not given stays')
    .addHelpText(
      'after',
      `\n${windows}\n\nExample:\n  triglyph deprecations change dp_Fx0uT4mQ9a1s --sunset 2027-09-30 --brown-out none`,
    )
    .action(changeDeprecation);
  deprecations
    .command('remove')
    .argument('<id>', 'the id that `deprecations list` prints')
    .description('removes a deprecation that was added, with its exemptions')
    .addHelpText('after', '\nExample:\n  triglyph deprecations remove dp_Fx0uT4mQ9a1s')
    .action(removeDeprecation);
  deprecations
    .command('exempt')
    .argument('<id>', 'the id that `deprecations list` prints, also of the configuration file')
    .argument('<credential>', 'the id or the username of a credential')
    .option('--end', 'ends the exemption')
    .description('exempts a credential: its calls are served, and say nothing')
    .addHelpText('after', '\nExample:\n  triglyph deprecations exempt dp_Fx0uT4mQ9a1s ws@Company.Acme')
    .action(exempt);
  deprecations.addHelpText(
    'after',
    '\nExample:\n  triglyph deprecations add --format soap11,soap12 --sunset 2027-06-30',
  );
}
