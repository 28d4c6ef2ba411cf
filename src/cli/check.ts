/** `triglyph check`: the configuration as it stands, secrets hidden, and everything that is wrong with it. */
import type { Command } from 'commander';
import { environment, inspectConfig, type Line } from '../app/config.ts';
import { productionFaults } from '../app/production-checks.ts';
import { storeFaults } from './store-faults.ts';

const printed = (lines: readonly Line[]): string => {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ name, shown, unit, from }) => `${name.padEnd(width)}  ${shown}  (${unit}; from ${from})\n`)
    .join('');
};

const run = async (): Promise<void> => {
  const { lines, problems, config } = inspectConfig('production', environment());
  const faults = config === undefined ? problems : [...productionFaults(config), ...(await storeFaults(config))];
  process.stdout.write(printed(lines));
  const verdict = faults.length === 0 ? 'Nothing is wrong: `triglyph serve` will start.' : 'This is wrong:';
  process.stdout.write(`\n${[verdict, ...faults.map((fault) => `- ${fault}`)].join('\n')}\n`);
  if (faults.length > 0) process.exitCode = 1;
};

export const add = (program: Command): void => {
  program
    .command('check')
    .description('prints the configuration, secrets hidden, and all that is wrong with it')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys triglyph check')
    .action(run);
};
