/** Finds, loads and checks the configuration file of a project. */

import { existsSync, readFileSync } from 'node:fs';
import { type LoadHookSync, type ResolveHookSync, registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { deprecationFaults, type GatewayService, settingGroupsOf, type UpstreamParts } from '../../backend/index.ts';
import { ConfigError, closest, didYouMean, type VariableSource, variableNames } from '../../config/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import type { DeprecationRule } from '../../insight/index.ts';
import type { ConfigContent } from './config-file.ts';

export interface LoadedConfigFile {
  /** As the operator knows it: `triglyph.config.ts`. */
  readonly name: string;
  readonly services: readonly GatewayService[];
  /** Whether the built-in services are served, too. */
  readonly servesBuiltIn: boolean;
  readonly deprecations: readonly DeprecationRule[];
  readonly source: VariableSource;
  /** What the file has, unchecked. */
  readonly upstreams: UpstreamParts;
}

const fileNames = ['triglyph.config.ts', 'triglyph.config.mjs', 'triglyph.config.json'];

/**
 * Loads the given file, or the one in the folder; undefined if there is none. `loadBuiltIn`: loads the services that are served without
 * it, where the file does not exclude them.
 * Throws ConfigError with everything that is wrong with it.
 */
export async function loadConfigFile(
  loadBuiltIn: () => Promise<readonly GatewayService[]>,
  given?: string,
  folder = process.cwd(),
): Promise<LoadedConfigFile | undefined> {
  const present = fileNames.filter((name) => existsSync(join(folder, name)));
  if (given === undefined && present.length > 1)
    throw new ConfigError([
      `${present.join(' and ')} are both in this folder: keep one of them, or name one by --config.`,
    ]);
  const name = given ?? present[0];
  if (name === undefined) return undefined;
  const path = resolve(folder, name);
  if (!existsSync(path)) throw new ConfigError([`${name}: there is no such file.`]);
  const content = await load(name, path);
  const builtIn = isMembers(content) && content.builtIn === false ? [] : await loadBuiltIn();
  const faults = faultsOf(content, builtIn).map((fault) => `${name}: ${fault}`);
  if (faults.length > 0) throw new ConfigError(faults);
  const { services = [], builtIn: isBuiltIn = true, settings = {} } = content as ConfigContent;
  const { upstreams, answeredBy, callers, deprecations = [] } = content as ConfigContent;
  const variables = Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => (value === undefined ? [] : [[key, textOf(value)]])),
  );
  const source = { name, variables };
  return {
    name,
    services,
    servesBuiltIn: isBuiltIn,
    deprecations,
    source,
    upstreams: { upstreams, answeredBy, callers },
  };
}

async function load(name: string, path: string): Promise<unknown> {
  try {
    if (path.endsWith('.json')) return JSON.parse(readFileSync(path, 'utf8'));
    registerLoading();
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ConfigError([`${name} cannot be loaded: ${reason}`]);
  }
}

let isRegistered = false;

/** For the configuration file, and for what it imports. */
function registerLoading(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({ resolve: resolveOwnPackage, load: loadModule });
}

/**
 * Makes `triglyph` this program wherever a configuration file imports it: services of another copy would throw problems that
 * this one does not know.
 */
const resolveOwnPackage: ResolveHookSync = (specifier, context, next) => {
  const entry = /^triglyph(?:\/(contract|koa|testing))?$/.exec(specifier);
  if (entry === null) return next(specifier, context);
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
  const url = new URL(`../api/${entry[1] ?? 'index'}.${extension}`, import.meta.url).href;
  return { url, shortCircuit: true };
};

/** Loads an ES module also where its package says `"type": "commonjs"`, as the one of `npm init` does. */
const loadModule: LoadHookSync = (url, context, next) => {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return next(url, context);
  const read = () => readFileSync(fileURLToPath(url), 'utf8');
  switch (context.format) {
    case 'commonjs':
      return next(url, compilesAsCommonJs(read()) ? context : { ...context, format: 'module' });
    case 'commonjs-typescript':
      return next(url, hasModuleSyntax(read()) ? { ...context, format: 'module-typescript' } : context);
    default:
      return next(url, context);
  }
};

function compilesAsCommonJs(text: string): boolean {
  try {
    compileFunction(text.replace(/^#!.*/, ''), ['exports', 'require', 'module', '__filename', '__dirname']);
    return true;
  } catch {
    return false;
  }
}

/** Whether a line of a TypeScript file begins an `export`, or an `import` of more than types. */
function hasModuleSyntax(text: string): boolean {
  return /^[ \t]*(?:export\b|import\b(?!\s*(?:\(|type\b)))/m.test(text);
}

const members: readonly string[] = Object.keys({
  services: true,
  builtIn: true,
  settings: true,
  upstreams: true,
  answeredBy: true,
  callers: true,
  deprecations: true,
} satisfies Required<Record<keyof ConfigContent, true>>);

/** `builtIn`: those that are served, too. */
function faultsOf(content: unknown, builtIn: readonly GatewayService[]): readonly string[] {
  if (!isMembers(content))
    return ['the default export is not a configuration: write export default defineConfig({ ... }).'];
  const { services = [], builtIn: isBuiltIn = true, settings = {}, deprecations } = content;
  const own = Array.isArray(services) ? services.filter(isService) : [];
  const all = [...builtIn, ...own];
  const unknown = Object.keys(content).flatMap((key) =>
    members.includes(key) ? [] : `${key} is not a member of a configuration: ${didYouMean(key, members)}`,
  );
  return [
    ...unknown,
    ...(typeof isBuiltIn === 'boolean' ? [] : ['builtIn is neither true nor false.']),
    ...serviceFaults(services, builtIn),
    ...settingFaults(settings, variableNames(settingGroupsOf(all))),
    ...(deprecations === undefined ? [] : deprecationFaults(deprecations, servicesOf(all))),
  ];
}

function serviceFaults(services: unknown, builtIn: readonly GatewayService[]): readonly string[] {
  if (!Array.isArray(services)) return ['services is not a list.'];
  return services.flatMap((service: unknown, index) => {
    if (!isService(service))
      return `services[${index}] is not a service: give what \`defineService\` or \`with\` of a contract returns.`;
    if (builtIn.some((each) => each.service === service.service))
      return `services[${index}] is built in: leave it out, or say \`builtIn: false\` and name every service.`;
    return [];
  });
}

function isService(service: unknown): service is GatewayService {
  return isMembers(service) && service.kind === 'service' && isMembers(service.service);
}

function settingFaults(settings: unknown, names: ReadonlySet<string>): readonly string[] {
  if (!isMembers(settings)) return ['settings is not an object.'];
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!names.has(name)) {
      const suggestion = closest(name, names);
      const remedy =
        suggestion === undefined ? 'see docs/configuration.md for the names.' : `did you mean ${suggestion}?`;
      return `${name} is not a setting: ${remedy}`;
    }
    return ['undefined', 'string', 'number', 'boolean'].includes(typeof value)
      ? []
      : `${name} is neither a text nor a number, true or false.`;
  });
}

function textOf(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
