/** A setting: its environment variable, default, documentation and parser; and the parsers of common values. */
import { isIPv4, isIPv6 } from 'node:net';
import { type CopyTarget, parseCopyTarget } from '../access/index.ts';
import { type Networks, parseNetworks } from '../core/lib/index.ts';
import { parseDatabaseUrl } from '../stores/index.ts';

export type Mode = 'production' | 'demo';

/** A value, or a hint that says what to write instead. */
export type Parsed<T> = { readonly value: T } | { readonly hint: string };

/** A default that depends on the mode or on another variable. */
interface ComputedDefault {
  /** The default as the reference page describes it. */
  readonly description: string;
  compute(context: {
    readonly mode: Mode;
    readonly variable: (name: string) => string | undefined;
  }): string | undefined;
}

/** `N`: its environment variable. `F`: the variables that may name a file with the value. */
export interface Setting<T, N extends string = string, F extends string = string> {
  readonly name: N;
  readonly unit: string;
  /** The text used when the variable is absent. */
  readonly default?: string | ComputedDefault;
  /** Replaces the default for a gateway in memory: no other process reads what it stores, and tests send what attackers send. */
  readonly inMemory?: string;
  /** For a setting of a service: the setting after which documents list it. By default it follows the one before it. */
  readonly after?: string;
  readonly doc: string;
  /** Never printed; may be read from a file. */
  readonly secret?: true;
  readonly fileNames?: readonly F[];
  readonly parse: (text: string) => Parsed<T>;
}

/** A setting with a default. */
export function setting<T, const N extends string, const F extends string = never>(
  row: Setting<T, N, F> & Required<Pick<Setting<T>, 'default'>>,
): Setting<T, N, F> {
  return Object.freeze(row);
}

/** A setting without a default. */
export function optional<T, const N extends string, const F extends string = never>(
  row: Setting<T, N, F>,
): Setting<T | undefined, N, F> {
  return Object.freeze(row);
}

/** Settings by the names of their values. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table of settings. */
export type ValuesOf<T extends SettingTable> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

/** The settings of a service. */
export interface SettingGroup<T extends SettingTable = SettingTable> {
  readonly table: T;
  /** Variables that begin with one of these and are no setting are refused. */
  readonly prefixes?: readonly string[];
  /** Returns what is wrong with values that are valid each. */
  findFaults?(values: ValuesOf<T>): readonly string[];
  /** Returns what makes the values unsafe to serve, each with its correction. */
  findProductionFaults?(values: ValuesOf<T>, environment: 'test' | 'live'): readonly string[];
}

/** Returns the settings of a service, for the types. */
export function defineSettings<T extends SettingTable>(group: SettingGroup<T>): SettingGroup<T> {
  return Object.freeze(group);
}

export function text(value: string): Parsed<string> {
  return { value };
}

/** Parses a whole number from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => Parsed<number> {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? { value } : { hint: `give a whole number from ${min} to ${max}` };
  };
}

export function oneOf<const V extends readonly string[]>(...values: V): (text: string) => Parsed<V[number]> {
  return (text) => {
    const value = values.find((each) => each === text);
    return value === undefined ? { hint: `give one of ${values.join(', ')}` } : { value };
  };
}

/** Names of a list, separated by commas; `all` for each of them, and an empty text for none. */
export function someOf<const V extends string>(names: readonly V[]): (text: string) => Parsed<readonly V[]> {
  return (text) => {
    if (text.trim() === '') return { value: [] };
    if (text.trim() === 'all') return { value: names };
    const given = text.split(',').map((each) => each.trim());
    const value = names.filter((name) => given.includes(name));
    return value.length === given.length
      ? { value }
      : { hint: `give names of ${names.join(', ')}, separated by commas, or all` };
  };
}

export function onOrOff(text: string): Parsed<boolean> {
  return text === 'on' || text === 'off' ? { value: text === 'on' } : { hint: 'give on or off' };
}

export function fieldName(text: string): Parsed<string> {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(text)
    ? { value: text }
    : { hint: 'give 1 to 64 letters, digits, underscores and hyphens, a letter first' };
}

export function host(text: string): Parsed<string> {
  return isIPv4(text) || isIPv6(text) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)
    ? { value: text }
    : { hint: 'give an address or a host name, without a port' };
}

/** The name of a key, a mount or a namespace, which may have several parts. */
export function kmsName(text: string): Parsed<string> {
  const isValid = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(text) && text.length <= 200;
  return isValid ? { value: text } : { hint: 'give letters, digits, _ - and ., with / between parts' };
}

export function origin(text: string): Parsed<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  return isOrigin ? { value: url.origin } : { hint: 'give scheme, host and port only, like https://api.example.com' };
}

export function databaseUrl(value: string): Parsed<string> {
  const parsed = parseDatabaseUrl(value);
  return 'hint' in parsed ? parsed : { value };
}

/** Checks the outline only. Opening the connection checks the parts. */
export function redisUrl(text: string): Parsed<string> {
  return /^rediss?(?:\+sentinel|\+cluster)?:\/\/(?:[^@/?#]*:[^@/?#]+@)?[\w.:[\],-]+(?:\/[\w.-]*){0,2}$/.test(text)
    ? { value: text }
    : {
        hint: 'give redis://host:6379, rediss://host, redis+sentinel://host:26379,host:26379/master or redis+cluster://host:7000,host:7001 (rediss+ with TLS), with user:password@ before the host where one is required',
      };
}

export function auditCopy(text: string): Parsed<CopyTarget> {
  const value = parseCopyTarget(text);
  return value === undefined
    ? {
        hint: 'give file:/path, syslog+udp://host:514, syslog+tcp://host:601, syslog+tls://host:6514 or syslog+unix:/path',
      }
    : { value };
}

/** Returns the name in lower case. Refuses headers that carry something else. */
export function headerName(text: string): Parsed<string> {
  const name = text.toLowerCase();
  const isOther = ['authorization', 'x-api-key', 'cookie', 'host', 'x-forwarded-for'].includes(name);
  return /^[a-z0-9-]{1,100}$/.test(name) && !isOther
    ? { value: name }
    : { hint: 'give the name of a header, like X-SSL-Client-SHA256' };
}

export function token(text: string): Parsed<string> {
  return /^[\x21-\x7e]{1,4096}$/.test(text)
    ? { value: text }
    : { hint: 'give up to 4096 printable ASCII characters without blanks' };
}

/** Nothing limits how often a token is tried, so it must be long. */
export function adminToken(text: string): Parsed<string> {
  return /^[\x21-\x7e]{16,1024}$/.test(text)
    ? { value: text }
    : { hint: 'give 16 to 1024 printable ASCII characters without blanks' };
}

/** Returns undefined for `off`. */
export function strictTransportSecurity(text: string): Parsed<string | undefined> {
  if (text === 'off') return { value: undefined };
  return /^max-age=\d{1,10}(?:; ?includeSubDomains(?:; ?preload)?)?$/.test(text)
    ? { value: text }
    : { hint: 'give off, or a value like max-age=31536000; includeSubDomains' };
}

/** Returns the names in lower case. */
export function hostNames(text: string): Parsed<readonly string[]> {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  if (text.trim() === '') return { value: [] };
  return names.every((name) => 'value' in host(name))
    ? { value: names }
    : { hint: 'give host names without ports, separated by commas, like metrics.example.com' };
}

export function proxies(text: string): Parsed<Networks> {
  const value = parseNetworks(text);
  return value === undefined
    ? { hint: 'give addresses or networks, separated by commas, like 10.0.0.0/8, 2001:db8::1' }
    : { value };
}

const dayMs = 24 * 60 * 60 * 1000;

/** The time that a setting in days means; 0 is for ever. */
export function retentionMs(days: number): number | undefined {
  return days === 0 ? undefined : days * dayMs;
}
