/** Configuration: reads settings from their sources and from secret files, and reports every problem at once. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { describeSystemError } from '../core/lib/index.ts';
import type { Mode, Setting, SettingGroup, SettingTable, ValuesOf } from './setting.ts';
import { type Settings, settings } from './settings.ts';
import { findUnknownVariables, type Variables } from './unknown-variables.ts';
import { readSources, VariableSources } from './variable-sources.ts';

export type { Variables };

export interface Config extends Settings {
  readonly mode: Mode;
  /** The key file, if the keys come from one. */
  readonly keyFile: string | undefined;
  /** Each setting with its source. */
  readonly reports: readonly SettingReport[];
  /** The values of the settings of services; `valuesOf` reads them. */
  readonly valuesOfGroups: ReadonlyMap<SettingGroup, object>;
}

/** A setting as read, for `triglyph check`. */
export interface SettingReport {
  readonly name: string;
  /** `(hidden)` for secrets. */
  readonly value: string;
  readonly unit: string;
  readonly doc: string;
  readonly isSecret: boolean;
  /** `default`, or the name of a source; for a secret file with its variable and path. */
  readonly source: string;
  /** Names the variable and says how to correct it. */
  readonly problem?: string | undefined;
}

/** Settings that cannot be used; `problems` has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

export interface ConfigReport {
  readonly settings: readonly SettingReport[];
  readonly problems: readonly string[];
  /** Present if there is no problem. */
  readonly config?: Config;
}

/** Returns the configuration. `groups`: the settings of services. Throws ConfigError with every problem. */
export function readConfig(
  mode: Mode,
  given: Variables | VariableSources = readSources(),
  groups: readonly SettingGroup[] = [],
): Config {
  const { config, problems } = inspectConfig(mode, given, groups);
  if (config === undefined) throw new ConfigError(problems);
  return config;
}

/** Returns every setting as read and every problem. */
export function inspectConfig(
  mode: Mode,
  given: Variables | VariableSources,
  groups: readonly SettingGroup[] = [],
): ConfigReport {
  const found =
    given instanceof VariableSources ? given : new VariableSources({ name: 'environment', variables: given });
  const hasRedisStore = found.findFirst(['REDIS_STORE_URL', 'REDIS_STORE_URL_FILE']).length > 0;
  const isInMemory = hasRedisStore || found.find('STATELESS')?.text === 'on';
  const inMemory = { ...settingsInMemory(groups), ...(hasRedisStore && { [settings.callerRecords.name]: 'on' }) };
  const sources = isInMemory ? found.with({ name: 'default', variables: inMemory }) : found;
  const results = listSettings(groups).map((listed) => ({ ...listed, ...readSetting(listed.row, mode, sources) }));
  const reports = results.map(({ report }) => report);
  const problems = [
    ...reports.flatMap(({ problem }) => problem ?? []),
    ...findUnknownVariables(
      sources.variables,
      variableNames(groups),
      groups.flatMap(({ prefixes = [] }) => prefixes),
    ),
  ];
  if (problems.length > 0) return { settings: reports, problems };
  const valuesIn = (wanted: SettingGroup | undefined): object =>
    Object.fromEntries(results.flatMap(({ key, value, group }) => (group === wanted ? [[key, value]] : [])));
  const config: Config = Object.freeze({
    ...(valuesIn(undefined) as Settings),
    mode,
    keyFile: results.find(({ key, group }) => key === 'keys' && group === undefined)?.file,
    reports,
    valuesOfGroups: new Map(groups.map((group) => [group, valuesIn(group)])),
  });
  const crossErrors = crossFieldErrors(config);
  return crossErrors.length > 0
    ? { settings: reports, problems: crossErrors }
    : { settings: reports, problems: [], config };
}

/** The defaults of a gateway whose own data ends with its process. */
export function settingsInMemory(groups: readonly SettingGroup[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listSettings(groups).flatMap(({ row: { name, inMemory } }) => (inMemory === undefined ? [] : [[name, inMemory]])),
  );
}

/** Whether the gateway has a database, embedded or not. One without only forwards. */
export function hasDatabase({ redisStoreUrl, stateless }: Pick<Config, 'redisStoreUrl' | 'stateless'>): boolean {
  return redisStoreUrl === undefined && !stateless;
}

/** Returns the values of the settings of a service. Throws TypeError where the configuration was read without them. */
export function valuesOf<T extends SettingTable>(
  { valuesOfGroups }: Pick<Config, 'valuesOfGroups'>,
  group: SettingGroup<T>,
): ValuesOf<T> {
  const values = valuesOfGroups.get(group);
  if (values === undefined) throw new TypeError(`the configuration lacks ${Object.keys(group.table).join(', ')}`);
  // `inspectConfig` has read each value by the setting of its key.
  return values as ValuesOf<T>;
}

/** Returns the value of the setting of this name, of the engine or of a service; undefined where there is none. */
export function settingNamed(config: Config, name: string | undefined): unknown {
  const groups = [...config.valuesOfGroups.keys()];
  const found = listSettings(groups).find(({ row }) => row.name === name);
  if (found === undefined) return undefined;
  const values: object = found.group === undefined ? config : valuesOf(config, found.group);
  return Object.entries(values).find(([key]) => key === found.key)?.[1];
}

interface ListedSetting {
  readonly key: string;
  readonly row: Setting<unknown>;
  /** Absent for a setting of the engine. */
  readonly group?: SettingGroup;
}

/** The settings of the engine and of services, in the order of the documents. */
export function listSettings(groups: readonly SettingGroup[]): readonly ListedSetting[] {
  const listed: ListedSetting[] = Object.entries<Setting<unknown>>(settings).map(([key, row]) => ({ key, row }));
  for (const group of groups) {
    let at = listed.length;
    for (const [key, row] of Object.entries(group.table)) {
      if (row.after !== undefined) at = listed.findIndex((each) => each.row.name === row.after) + 1 || listed.length;
      listed.splice(at, 0, { key, row, group });
      at += 1;
    }
  }
  return listed;
}

/** The names of all settings, and of the variables that may name a file instead. */
export function variableNames(groups: readonly SettingGroup[]): ReadonlySet<string> {
  return new Set(listSettings(groups).flatMap(({ row: { name, fileNames = [] } }) => [name, ...fileNames]));
}

/** Returns what makes the settings of services unsafe to serve. */
export function productionFaultsOfServices(config: Config): readonly string[] {
  return [...config.valuesOfGroups.keys()].flatMap(
    (group) => group.findProductionFaults?.(valuesOf(config, group), config.environment) ?? [],
  );
}

interface ReadSetting {
  readonly report: SettingReport;
  readonly value: unknown;
  readonly file?: string | undefined;
}

function readSetting(row: Setting<unknown>, mode: Mode, sources: VariableSources): ReadSetting {
  const { name, unit, doc, secret = false, fileNames = [] } = row;
  const result = (
    report: Pick<SettingReport, 'value' | 'source' | 'problem'>,
    value?: unknown,
    file?: string,
  ): ReadSetting => ({ report: { name, unit, doc, isSecret: secret, ...report }, value, file });

  const present = sources.findFirst([name, ...fileNames]);
  const [found] = present;
  if (found === undefined) {
    const text = defaultText(row, mode, sources);
    const parsed = text === undefined ? undefined : row.parse(text);
    const value = parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
    return result({ value: text ?? '(none)', source: 'default' }, value);
  }
  const { name: variable, text: given, source: origin } = found;
  if (present.length > 1) {
    const problem = `${present.map((each) => each.name).join(' and ')} are both set: keep one of them.`;
    return result({ value: '(hidden)', source: origin, problem });
  }
  const file = variable === name ? undefined : given;
  const read = file === undefined ? { text: given } : readSecret(file);
  if ('problem' in read) {
    const problem = `${variable} names ${file}: ${read.problem}.`;
    return result({ value: '(none)', source: variable, problem }, undefined, file);
  }
  const value = secret ? '(hidden)' : read.text;
  const parsed = row.parse(read.text);
  if ('hint' in parsed) {
    const problem = `${variable}${secret ? '' : ` is ${JSON.stringify(read.text)}`}: ${parsed.hint}.`;
    return result({ value, source: origin, problem }, undefined, file);
  }
  const source = file === undefined ? origin : `${variable} ${file}, ${origin}`;
  return result({ value, source }, parsed.value, file);
}

function defaultText(row: Setting<unknown>, mode: Mode, sources: VariableSources): string | undefined {
  return typeof row.default === 'object'
    ? row.default.compute({ mode, variable: (name) => sources.find(name)?.text })
    : row.default;
}

function readSecret(file: string): { readonly text: string } | { readonly problem: string } {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? { problem: 'the file is empty' } : { text };
  } catch (thrown) {
    return { problem: describeSystemError(thrown) ?? 'it cannot be read' };
  }
}

function crossFieldErrors(config: Config): readonly string[] {
  const { port, adminPort, requestMsMax, headersMsMax, workers, databaseUrl } = config;
  const errors: string[] = [];
  if (port !== 0 && port === adminPort) errors.push(`PORT and ADMIN_PORT are both ${port}: give them different ports.`);
  if (requestMsMax < headersMsMax)
    errors.push('REQUEST_MS_MAX is less than HEADERS_MS_MAX: raise it, or lower HEADERS_MS_MAX.');
  if (workers > 1 && databaseUrl === undefined && hasDatabase(config))
    errors.push(`WORKERS is ${workers} and the embedded store allows one process: set DATABASE_URL, or one worker.`);
  if (!hasDatabase(config)) errors.push(...databaseErrors(config));
  const ofServices = [...config.valuesOfGroups.keys()].flatMap(
    (group) => group.findFaults?.(valuesOf(config, group)) ?? [],
  );
  return [...errors, ...tlsErrors(config), ...ofServices, ...kmsErrors(config)];
}

/** The setting by which there is no database. */
export function settingWithoutDatabase({ stateless }: Pick<Config, 'stateless'>): 'STATELESS' | 'REDIS_STORE_URL' {
  return stateless ? 'STATELESS' : 'REDIS_STORE_URL';
}

/** What needs a database, and was asked for without one. */
function databaseErrors(config: Config): readonly string[] {
  const { mode, databaseUrl, redisUrl, redisStoreUrl, stateless, audit, auditLog } = config;
  const errors: string[] = [];
  const name = settingWithoutDatabase(config);
  if (redisStoreUrl !== undefined && stateless)
    errors.push('STATELESS is on, and REDIS_STORE_URL names a store: keep one of both.');
  if (mode === 'demo') errors.push(`The demo needs a database: it does not take ${name}.`);
  if (databaseUrl !== undefined) errors.push(`DATABASE_URL and ${name} are both set: keep one of both.`);
  if (redisUrl !== undefined && redisStoreUrl !== undefined)
    errors.push(`REDIS_URL and ${name} are both set: limits are counted in ${name}, too.`);
  if (config.console && config.adminToken === undefined)
    errors.push(
      `CONSOLE is on, and with ${name} there are no credentials to sign in with: set ADMIN_TOKEN, which is then the API key of the console.`,
    );
  if (config.callerRecords && stateless)
    errors.push(`CALLER_RECORDS is on, and with ${name} they would end with the process.`);
  if (audit && auditLog === undefined)
    errors.push(
      `AUDIT is on, and with ${name} the store has no audit log: name a file or a syslog server in AUDIT_LOG.`,
    );
  if (!audit && auditLog !== undefined) errors.push(`AUDIT_LOG is set: with ${name} also set AUDIT=on.`);
  return errors;
}

function tlsErrors(config: Config): readonly string[] {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile, adminTls, clientCertificateHeader, trustedProxies } = config;
  const { redisUrl, redisStoreUrl = redisUrl, redisCaFile } = config;
  const errors: string[] = [];
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    errors.push('TLS_CERT_FILE and TLS_KEY_FILE belong together: set both, or none.');
  if (tlsCertFile === undefined && tlsClientCaFile !== undefined)
    errors.push('TLS_CLIENT_CA_FILE is set without TLS_CERT_FILE: only a server with a certificate asks for one.');
  if (tlsCertFile === undefined && adminTls) errors.push('ADMIN_TLS is on without TLS_CERT_FILE: set it.');
  if (redisCaFile !== undefined && redisStoreUrl?.startsWith('rediss') !== true)
    errors.push(
      'REDIS_CA_FILE is set and neither REDIS_URL nor REDIS_STORE_URL begins with rediss: only those connections use TLS.',
    );
  if (redisCaFile !== undefined && !isReadable(redisCaFile))
    errors.push(`REDIS_CA_FILE names ${redisCaFile}: the file cannot be read.`);
  if (clientCertificateHeader !== undefined && !trustedProxies.any)
    errors.push('CLIENT_CERTIFICATE_HEADER is set without TRUSTED_PROXIES: no other sender of it is believed.');
  return errors;
}

function kmsErrors({ kmsUrl, kmsTokenFile }: Config): readonly string[] {
  if (kmsUrl === undefined || kmsTokenFile !== undefined) return [];
  return ['KMS_URL is set and KMS_TOKEN_FILE is missing: name the file with the token.'];
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
