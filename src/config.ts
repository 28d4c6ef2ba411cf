/** Configuration: the environment, a `.env` file and files of secrets become one frozen Config, or all that is wrong with them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
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

const crossed = (config: Config): readonly string[] => {
  const problems: string[] = [];
  if (config.port !== 0 && config.port === config.adminPort) {
    problems.push(`PORT and ADMIN_PORT are both ${config.port}: give them different ports.`);
  }
  if (config.requestMsMax < config.headersMsMax) {
    problems.push('REQUEST_MS_MAX is less than HEADERS_MS_MAX: raise it, or lower HEADERS_MS_MAX.');
  }
  return problems;
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

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** The demo leaves this file in its data folder, so that production knows it. */
export const demoMark = 'DEMO';

const keyFileFaults = (file: string): readonly string[] => {
  // Windows has no such bits: its `mode` says nothing.
  if (process.platform === 'win32') return [];
  return (statSync(file).mode & 0o027) === 0
    ? []
    : [`KEY_FILE ${file} can be read or changed by others: chmod 600 it (640 where a group must read it).`];
};

/**
 * Why this configuration must not serve, each with how to mend it; empty where it may.
 * What needs the store (credentials that everyone knows, keys that do not open it) is for the command to check.
 */
export const unsafe = (config: Config): readonly string[] => {
  const faults: string[] = [];
  if (config.mode === 'demo') {
    if (!isLoopback(config.host)) {
      faults.push(`HOST is ${config.host}: the demo has credentials that everyone knows and serves 127.0.0.1 only.`);
    }
    if (config.environment === 'live') faults.push('ENVIRONMENT is live: the demo serves test only; use `serve`.');
    return faults;
  }
  if (config.keys === undefined) {
    faults.push('There are no keys: name a key file in KEY_FILE; `triglyph keys create FILE` makes one.');
  }
  if (config.keyFile !== undefined) faults.push(...keyFileFaults(config.keyFile));
  if (config.demoShoppers > 0) faults.push('DEMO_SHOPPERS is set: remove it; only the demo makes shoppers up.');
  if (existsSync(join(config.dataDir, demoMark))) {
    faults.push(`DATA_DIR ${config.dataDir} holds the demo's data: name another folder.`);
  }
  if (config.environment === 'live') {
    // Card numbers and secrets would cross the network in the clear.
    if (!isLoopback(config.host) && !config.trustedProxies.any) {
      faults.push(
        'ENVIRONMENT is live and nothing ends TLS: name the proxy in TRUSTED_PROXIES, or bind HOST to 127.0.0.1.',
      );
    }
    if (config.publicUrl?.startsWith('http:')) {
      faults.push('PUBLIC_URL is plain http while ENVIRONMENT is live: give its https address.');
    }
  }
  return faults;
};

const defaultOf = ({ default: standard }: Setting<unknown>): string => {
  const said = typeof standard === 'object' ? standard.said : standard;
  return said === undefined || said === '' ? 'none' : said;
};

/** The reference page of all settings; `docs/configuration.md` holds it. */
export const describeConfig = (): string => {
  const rows = Object.values<Setting<unknown>>(settings).map((row) => {
    const secret = row.secret
      ? ` Secret; ${(row.fileNames ?? []).map((name) => `\`${name}\``).join(' or ')} may name a file instead.`
      : '';
    return `| \`${row.name}\` | ${row.unit} | ${defaultOf(row)} | ${row.doc}${secret} |`;
  });
  return `# Configuration

Settings come from the environment, then from a \`.env\` file in the working folder. An empty variable counts as absent.
\`triglyph check\` prints every setting as it stands, secrets hidden, and all that is wrong with them.

| variable | unit | default | meaning |
|---|---|---|---|
${rows.join('\n')}

A variable that starts with \`TRIGLYPH_\` and is not in this table is refused.

\`npm start\` refuses to start without keys, with a key file that others can read, on the demo's data folder, and, with
\`ENVIRONMENT=live\`, on a public address with no proxy named in \`TRUSTED_PROXIES\` (the gateway speaks plain HTTP: TLS ends
in front of it). Each refusal says how to mend it. The demo serves 127.0.0.1 only.
`;
};
