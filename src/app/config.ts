/** Configuration: reads settings from the environment, a `.env` file and secret files, and reports every problem at once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Mode, Setting } from './setting.ts';
import { type Settings, settings } from './settings.ts';
import { findUnknownVariables, type Variables } from './unknown-variables.ts';

export type { Variables };

export interface Config extends Settings {
  readonly mode: Mode;
  /** The key file, if the keys come from one. */
  readonly keyFile: string | undefined;
}

/** A setting as read, for `triglyph check`. */
export interface SettingReport {
  readonly name: string;
  /** `(hidden)` for secrets. */
  readonly value: string;
  readonly unit: string;
  /** `default`, `environment`, or the variable and path of a secret file. */
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

/** Returns the configuration. Throws ConfigError with every problem. */
export function readConfig(mode: Mode, variables: Variables = readVariables()): Config {
  const { config, problems } = inspectConfig(mode, variables);
  if (config === undefined) throw new ConfigError(problems);
  return config;
}

/** Returns every setting as read and every problem. */
export function inspectConfig(mode: Mode, variables: Variables): ConfigReport {
  const results = Object.entries<Setting<unknown>>(settings).map(([key, row]) => ({
    key,
    ...readSetting(row, mode, variables),
  }));
  const reports = results.map(({ report }) => report);
  const problems = [
    ...reports.flatMap(({ problem }) => problem ?? []),
    ...findUnknownVariables(variables, variableNames),
  ];
  if (problems.length > 0) return { settings: reports, problems };
  const config = Object.freeze({
    ...Object.fromEntries(results.map(({ key, value }) => [key, value])),
    mode,
    keyFile: results.find(({ key }) => key === 'keys')?.file,
  }) as Config;
  const crossErrors = crossFieldErrors(config);
  return crossErrors.length > 0
    ? { settings: reports, problems: crossErrors }
    : { settings: reports, problems: [], config };
}

/** Returns the variables of the environment and, for those that it does not set, of `.env` in the folder. */
export function readVariables(variables: Variables = process.env, folder = process.cwd()): Variables {
  const file = join(folder, '.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...variables } : variables;
}

const variableNames: ReadonlySet<string> = new Set(
  Object.values<Setting<unknown>>(settings).flatMap(({ name, fileNames = [] }) => [name, ...fileNames]),
);

interface ReadSetting {
  readonly report: SettingReport;
  readonly value: unknown;
  readonly file?: string | undefined;
}

function readSetting(row: Setting<unknown>, mode: Mode, variables: Variables): ReadSetting {
  const { name, unit, secret, fileNames = [] } = row;
  const result = (
    report: Pick<SettingReport, 'value' | 'source' | 'problem'>,
    value?: unknown,
    file?: string,
  ): ReadSetting => ({ report: { name, unit, ...report }, value, file });

  const present = [name, ...fileNames].filter((each) => variableText(variables, each) !== undefined);
  const [variable] = present;
  if (present.length > 1) {
    const problem = `${present.join(' and ')} are both set: keep one of them.`;
    return result({ value: '(hidden)', source: 'environment', problem });
  }
  if (variable === undefined) {
    const text = defaultText(row, mode, variables);
    const parsed = text === undefined ? undefined : row.parse(text);
    const value = parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
    return result({ value: text ?? '(none)', source: 'default' }, value);
  }
  const given = variableText(variables, variable) ?? '';
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
    return result({ value, source: 'environment', problem }, undefined, file);
  }
  const source = file === undefined ? 'environment' : `${variable} ${file}`;
  return result({ value, source }, parsed.value, file);
}

/** An empty variable counts as absent: Compose files and shells cannot unset one. */
function variableText(variables: Variables, name: string): string | undefined {
  return variables[name]?.trim() || undefined;
}

function defaultText(row: Setting<unknown>, mode: Mode, variables: Variables): string | undefined {
  return typeof row.default === 'object'
    ? row.default.compute({ mode, variable: (name) => variableText(variables, name) })
    : row.default;
}

function readSecret(file: string): { readonly text: string } | { readonly problem: string } {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? { problem: 'the file is empty' } : { text };
  } catch (thrown) {
    return {
      problem: (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : 'cannot be read',
    };
  }
}

function crossFieldErrors(config: Config): readonly string[] {
  const { port, adminPort, requestMsMax, headersMsMax, workers, databaseUrl } = config;
  const errors: string[] = [];
  if (port !== 0 && port === adminPort) errors.push(`PORT and ADMIN_PORT are both ${port}: give them different ports.`);
  if (requestMsMax < headersMsMax)
    errors.push('REQUEST_MS_MAX is less than HEADERS_MS_MAX: raise it, or lower HEADERS_MS_MAX.');
  if (workers > 1 && databaseUrl === undefined)
    errors.push(`WORKERS is ${workers} and the embedded store allows one process: set DATABASE_URL, or one worker.`);
  return [...errors, ...updaterErrors(config)];
}

/** A given address or folder that is not used is a mistake. */
function updaterErrors({ updater, updaterUrl, updaterFolder }: Config): readonly string[] {
  const needs = [
    { kind: 'http', name: 'UPDATER_URL', value: updaterUrl },
    { kind: 'batch', name: 'UPDATER_FOLDER', value: updaterFolder },
  ] as const;
  return needs.flatMap(({ kind, name, value }) => {
    if (updater === kind && value === undefined) return `UPDATER is ${kind} and ${name} is missing: set it.`;
    if (updater === kind || value === undefined) return [];
    return `${name} is set and UPDATER is ${updater}: set UPDATER=${kind}, or remove ${name}.`;
  });
}
