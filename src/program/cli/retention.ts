/** `triglyph retention`: destroys now what is stored for longer than the settings allow, as servers do by themselves. */
import type { Command } from 'commander';
import { applyRetention, showRetention } from '../../operators/index.ts';
import { addOperation } from './operator-command.ts';

export function add(program: Command): void {
  const retention = program
    .command('retention')
    .description('shows how long data is stored, and destroys what is over');
  addOperation(retention, 'show', showRetention, {
    doc: 'prints for each kind of data how long it is stored',
    example: 'triglyph retention show',
    json: ({ rules }) => rules,
    text: ({ rules }) => {
      const width = Math.max(...rules.map(({ subject }) => subject.length));
      return rules.map(
        ({ subject, days }) => `${subject.padEnd(width)}  ${days === undefined ? 'for ever' : `${days} days`}`,
      );
    },
  });
  addOperation(retention, 'apply', applyRetention, {
    example: 'triglyph retention apply',
    json: ({ destroyed }) => destroyed,
    text: ({ destroyed }) =>
      destroyed.length === 0
        ? ['Nothing was over, or a server destroys it now.']
        : destroyed.map(({ subject, rows }) => `${subject}  ${rows} rows destroyed`),
  });
  retention.addHelpText('after', '\nExample:\n  triglyph retention show');
}
