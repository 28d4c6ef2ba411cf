/** `triglyph check`: prints the configuration without secrets, and everything that is wrong with it and the store. */
import type { Command } from 'commander';
import { databaseFaults } from '../backend/database-faults.ts';
import { productionFaults, tlsWarnings } from '../backend/production-checks.ts';
import { describeUpstreams } from '../backend/upstreams/describe.ts';
import { noUpstreams, serversOf, type UpstreamPlan } from '../backend/upstreams/plan.ts';
import type { ConfiguredUpstream } from '../backend/upstreams/read-upstream.ts';
import { tryConnection } from '../backend/upstreams/try-connection.ts';
import { type Config, hasDatabase, inspectConfig, type SettingReport } from '../config/config.ts';
import { explain } from './command-error.ts';
import { print } from './output.ts';
import { configFileName, ownServices, projectFaults, projectSettings, projectSources } from './project.ts';
import { inspectUpstreams, servedServices } from './project-upstreams.ts';
import { inspectStore } from './store-faults.ts';

export function add(program: Command): void {
  program
    .command('check')
    .description('prints the configuration without secrets, and all that is wrong with it')
    .option('--connect', 'also connects to each upstream; sends no request')
    .addHelpText('after', '\nExample:\n  KEY_FILE=/etc/triglyph/keys triglyph check --connect')
    .action(check);
}

interface CheckOptions {
  readonly connect?: true;
}

async function check({ connect }: CheckOptions): Promise<void> {
  const { settings, problems, config } = inspectConfig('production', projectSources(), projectSettings());
  const { plan = noUpstreams, faults: upstreamFaults } = inspectUpstreams();
  const store = config && (await inspectStore(config, plan));
  const found =
    config === undefined
      ? problems
      : [
          ...productionFaults(config, { plan }),
          ...databaseFaults(config, plan, servedServices()),
          ...(store?.faults ?? []),
        ];
  const faults = [...projectFaults(), ...upstreamFaults, ...found];
  const losses = store?.losses ?? [];
  const warnings = [...(store?.warnings ?? []), ...(config === undefined ? [] : tlsWarnings(config, Date.now()))];
  const verdict =
    faults.length > 0
      ? ['These faults prevent a start:']
      : [losses.length > 0 ? '`triglyph serve` will start.' : 'Nothing is wrong: `triglyph serve` will start.'];
  const upstreamLines = describeUpstreams(plan, servedServices(), configFileName() ?? '');
  const attempts = connect ? await Promise.all(serversOf(plan).map(attempt)) : [];
  print(
    ...settingLines(settings),
    ...serviceLines(),
    ...upstreamLines,
    ...(config === undefined ? [] : databaseLines(config, plan)),
    ...attempts.map(({ line }) => line),
    '',
    ...verdict,
    ...faults.map((fault) => `- ${fault}`),
    ...(losses.length === 0 ? [] : ['Writes are refused:', ...losses.map((each) => `- ${each}`)]),
    ...(warnings.length === 0 ? [] : ['', 'Soon:', ...warnings.map((warning) => `- ${warning}`)]),
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
