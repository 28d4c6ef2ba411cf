/** `triglyph check`: prints the configuration without secrets, and everything that is wrong with it and the store. */
import type { Command } from 'commander';
import { inspectConfig, type SettingReport } from '../app/config.ts';
import { productionFaults } from '../app/production-checks.ts';
import { print } from './output.ts';
import { configFileName, ownServices, projectFaults, projectSources } from './project.ts';
import { storeFaults } from './store-faults.ts';

export function add(program: Command): void {
  program
    .command('check')
    .description('prints the configuration without secrets, and all that is wrong with it')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys triglyph check')
    .action(check);
}

async function check(): Promise<void> {
  const { settings, problems, config } = inspectConfig('production', projectSources());
  const found = config === undefined ? problems : [...productionFaults(config), ...(await storeFaults(config))];
  const faults = [...projectFaults(), ...found];
  const verdict =
    faults.length === 0 ? ['Nothing is wrong: `triglyph serve` will start.'] : ['These faults prevent a start:'];
  print(...settingLines(settings), ...serviceLines(), '', ...verdict, ...faults.map((fault) => `- ${fault}`));
  if (faults.length > 0) process.exitCode = 1;
}

function serviceLines(): readonly string[] {
  return ownServices().map(
    ({ service: { name, version, address } }) => `${name} version ${version} at ${address} (from ${configFileName()})`,
  );
}

function settingLines(settings: readonly SettingReport[]): readonly string[] {
  const width = Math.max(...settings.map(({ name }) => name.length));
  return settings.map(({ name, value, unit, source }) => `${name.padEnd(width)}  ${value}  (${unit}; from ${source})`);
}
