/** `triglyph check`: prints everything that is wrong with the configuration and the store, and what is configured, without secrets. */
import type { Command } from 'commander';
import {
  type ConfiguredUpstream,
  databaseFaults,
  describeUpstreams,
  noUpstreams,
  productionFaults,
  serversOf,
  tlsWarnings,
  tryConnection,
  type UpstreamPlan,
} from '../../backend/index.ts';
import { type Config, hasDatabase, inspectConfig, type SettingReport } from '../../config/index.ts';
import { explain } from './command-error.ts';
import { print } from './output.ts';
import { configFileName, ownServices, projectFaults, projectSettings, projectSources } from './project.ts';
import { inspectUpstreams, servedServices } from './project-upstreams.ts';
import { inspectStore } from './store-faults.ts';

export function add(program: Command): void {
  program
    .command('check')
    .description('prints all faults of the configuration and the store, then services and upstreams')
    .option('--settings', 'also prints each setting with its source, without secrets')
    .option('--connect', 'also connects to each upstream; sends no request')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys triglyph check --connect')
    .action(check);
}

interface CheckOptions {
  readonly connect?: true;
  readonly settings?: true;
}

/** A fault that may follow from another one is left out until that one is corrected. */
async function check({ connect, settings: printsSettings }: CheckOptions): Promise<void> {
  const { settings, problems, config } = inspectConfig('production', projectSources(), projectSettings());
  const { plan: found, faults: upstreamFaults } = inspectUpstreams();
  const plan = found ?? noUpstreams;
  // Without its configuration file a program lacks settings, services and upstreams.
  const isWhole = projectFaults().length === 0;
  const store = config !== undefined && isWhole ? await inspectStore(config, found) : undefined;
  const ofConfig =
    config === undefined
      ? problems
      : [
          ...productionFaults(config, { plan }),
          ...(found === undefined ? [] : databaseFaults(config, found, servedServices())),
          ...(store?.faults ?? []),
        ];
  const faults = isWhole ? [...upstreamFaults, ...ofConfig] : projectFaults();
  const losses = store?.losses ?? [];
  const warnings = [...(store?.warnings ?? []), ...(config === undefined ? [] : tlsWarnings(config, Date.now()))];
  const verdict =
    faults.length > 0
      ? ['These faults prevent a start:']
      : [losses.length > 0 ? '`triglyph serve` will start.' : 'Nothing is wrong: `triglyph serve` will start.'];
  const upstreamLines = describeUpstreams(plan, servedServices(), configFileName() ?? '');
  const attempts = connect ? await Promise.all(serversOf(plan).map(attempt)) : [];
  const described = [
    ...(printsSettings ? settingLines(settings) : []),
    ...serviceLines(),
    ...upstreamLines,
    ...(config === undefined ? [] : databaseLines(config, plan)),
  ];
  print(
    ...verdict,
    ...faults.map((fault) => `- ${fault}`),
    ...(losses.length === 0 ? [] : ['Writes are refused:', ...losses.map((each) => `- ${each}`)]),
    ...attempts.map(({ line }) => line),
    ...(warnings.length === 0 ? [] : ['Soon:', ...warnings.map((warning) => `- ${warning}`)]),
    ...described.flatMap((line, at) => (at === 0 ? ['', line] : line)),
  );
  if (faults.length > 0 || losses.length > 0 || attempts.some(({ isConnected }) => !isConnected)) process.exitCode = 1;
}

/** What is not there says so before someone needs it. */
function databaseLines(config: Config, { shadows }: Pick<UpstreamPlan, 'shadows'>): readonly string[] {
  if (hasDatabase(config)) return [];
  return [
    config.stateless
      ? 'no database  nothing is stored; DATA_DIR is not used'
      : 'no database  records, pending requests, callers and deprecations are in REDIS_STORE_URL; DATA_DIR is not used',
    `  limits     counted in ${config.stateless && config.redisUrl === undefined ? 'each process' : 'Redis'}`,
    `  without    stored credentials, webhooks${config.stateless ? ', records of callers, deprecations set while it runs' : ''}`,
    ...(shadows.size > 0
      ? ['  shadows    copied by the configured share: nothing is switched, differences end with the process']
      : []),
    `  console    ${config.console ? 'ADMIN_TOKEN is its API key' : 'off: CONSOLE=on and ADMIN_TOKEN switch it on'}`,
    `  audit log  ${config.audit ? 'in AUDIT_LOG alone' : 'none: AUDIT=on and AUDIT_LOG write one'}`,
  ];
}

/** A server starts while an upstream cannot be reached, so that is no fault of the configuration. */
async function attempt(
  upstream: ConfiguredUpstream,
): Promise<{ readonly line: string; readonly isConnected: boolean }> {
  try {
    await tryConnection(upstream);
    return { line: `upstream ${upstream.name} can be reached.`, isConnected: true };
  } catch (thrown) {
    return { line: `upstream ${upstream.name} cannot be reached: ${explain(thrown).join(' ')}`, isConnected: false };
  }
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
