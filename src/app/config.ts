/** Configuration: the environment, a `.env` file and files of secrets become one frozen Config, or all that is wrong with them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Mode, type Setting, type Settings, settings } from './settings.ts';

export type { Mode, TrustedProxies } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config extends Settings {
  readonly mode: Mode;
  /** The file the keys were read from, where they were. */
  readonly keyFile: string | undefined;
}

/** A setting as it stands, for `triglyph check`. */
export interface Line {
  readonly name: string;
  /** Secrets are hidden. */
  readonly shown: string;
  readonly unit: string;
  /** `default`, `environment`, or the file of a secret. */
  readonly from: string;
  readonly doc: string;
  /** Names the variable and how to mend it. */
  readonly problem?: string | undefined;
}

/** Everything that is wrong with a configuration, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

interface Found {
  readonly line: Line;
  readonly value: unknown;
  readonly file: string | undefined;
}

/** The variables in force: the environment first, then `.env` of the folder. */
export const environment = (env: Environment = process.env, folder = process.cwd()): Environment => {
  const file = join(folder, '.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...env } : env;
};

/** An empty variable is an absent one: compose files and shells cannot unset. */
const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

const readSecret = (file: string): { readonly text: string } | { readonly problem: string } => {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? { problem: 'the file is empty' } : { text };
  } catch (thrown) {
    return {
      problem: (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : 'cannot be read',
    };
  }
};

const find = (row: Setting<unknown>, mode: Mode, env: Environment): Found => {
  const { name, unit, doc, secret, fileNames = [] } = row;
  const answer = (shown: string, from: string, value: unknown, problem?: string, file?: string): Found => ({
    line: { name, shown, unit, from, doc, problem },
    value,
    file,
  });
  const sources = [name, ...fileNames].filter((source) => given(env, source) !== undefined);
  const [source] = sources;
  if (sources.length > 1) {
    return answer('(hidden)', 'environment', undefined, `${sources.join(' and ')} are both given: keep one of them.`);
  }
  if (source === undefined) {
    const text =
      typeof row.default === 'object' ? row.default.of({ mode, text: (other) => given(env, other) }) : row.default;
    if (text === undefined) return answer('(none)', 'default', undefined);
    const parsed = row.parse(text);
    return answer(text, 'default', 'value' in parsed ? parsed.value : undefined);
  }
  const named = given(env, source) ?? '';
  const file = source === name ? undefined : named;
  const read = file === undefined ? { text: named } : readSecret(file);
  if ('problem' in read) return answer('(none)', source, undefined, `${source} names ${file}: ${read.problem}.`, file);
  const shown = secret ? '(hidden)' : read.text;
  const parsed = row.parse(read.text);
  if ('value' in parsed)
    return answer(shown, file === undefined ? 'environment' : `${source} ${file}`, parsed.value, undefined, file);
  const said = secret ? '' : ` is ${JSON.stringify(read.text)}`;
  return answer(shown, 'environment', undefined, `${source}${said}: ${parsed.mend}.`, file);
};

const ownNames: ReadonlySet<string> = new Set(
  Object.values<Setting<unknown>>(settings).flatMap(({ name, fileNames = [] }) => [name, ...fileNames]),
);

/** A misspelt setting must not pass for an absent one. */
const strangers = (env: Environment): readonly string[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('TRIGLYPH_') && !ownNames.has(name))
    .map((name) => `${name} is no setting: remove it, or see docs/configuration.md for the right name.`);

/** Who names an address or a folder means that it is used. */
const crossedUpdater = ({ updater, updaterUrl, updaterFolder }: Config): readonly string[] => {
  const needs = [
    { kind: 'http', name: 'UPDATER_URL', value: updaterUrl },
    { kind: 'batch', name: 'UPDATER_FOLDER', value: updaterFolder },
  ] as const;
  return needs.flatMap(({ kind, name, value }) => {
    if (updater === kind && value === undefined) return `UPDATER is ${kind} and ${name} is missing: give it.`;
    if (updater === kind || value === undefined) return [];
    return `${name} is given and UPDATER is ${updater}: give UPDATER=${kind}, or remove it.`;
  });
};

const crossed = (config: Config): readonly string[] => {
  const problems: string[] = [];
  if (config.port !== 0 && config.port === config.adminPort) {
    problems.push(`PORT and ADMIN_PORT are both ${config.port}: give them different ports.`);
  }
  if (config.requestMsMax < config.headersMsMax) {
    problems.push('REQUEST_MS_MAX is less than HEADERS_MS_MAX: raise it, or lower HEADERS_MS_MAX.');
  }
  if (config.workers > 1 && config.databaseUrl === undefined) {
    problems.push(
      `WORKERS is ${config.workers} and the embedded store is one process's: give DATABASE_URL, or one worker.`,
    );
  }
  return [...problems, ...crossedUpdater(config)];
};

/** Every setting as it stands and everything wrong with them; `config` only where nothing is. */
export const inspectConfig = (
  mode: Mode,
  env: Environment,
): { readonly lines: readonly Line[]; readonly problems: readonly string[]; readonly config?: Config } => {
  const found = Object.entries<Setting<unknown>>(settings).map(([key, row]) => ({ key, ...find(row, mode, env) }));
  const lines = found.map(({ line }) => line);
  const wrong = [...lines.flatMap(({ problem }) => problem ?? []), ...strangers(env)];
  if (wrong.length > 0) return { lines, problems: wrong };
  const config = Object.freeze({
    ...Object.fromEntries(found.map(({ key, value }) => [key, value])),
    mode,
    keyFile: found.find(({ key }) => key === 'keys')?.file,
  }) as Config;
  const problems = crossed(config);
  return problems.length > 0 ? { lines, problems } : { lines, problems, config };
};

/** Throws ConfigError naming every problem at once. */
export const readConfig = (mode: Mode, env: Environment = environment()): Config => {
  const { config, problems } = inspectConfig(mode, env);
  if (config === undefined) throw new ConfigError(problems);
  return config;
};
