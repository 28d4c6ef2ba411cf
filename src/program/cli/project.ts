/** The project that a command runs in: its configuration file, `.env` and the environment. */

import {
  credentialRulesOf,
  type GatewayService,
  settingGroupsOf,
  shadowName,
  type UpstreamParts,
} from '../../backend/index.ts';
import {
  type Config,
  ConfigError,
  type Mode,
  readConfig,
  readSources,
  type SettingGroup,
  type VariableSources,
} from '../../config/index.ts';
import type { DeprecationRule } from '../../insight/index.ts';
import { type LoadedConfigFile, loadConfigFile } from '../app/load-config-file.ts';

/** One command runs in a process, so there is one project. */
let file: LoadedConfigFile | undefined;
let faults: readonly string[] = [];
let builtIn: readonly GatewayService[] = [];
let loadBuiltIn: () => Promise<readonly GatewayService[]> = async () => [];

/** Loads the configuration file, for the start of the program. Its faults are reported by the command that needs it. */
export async function openProject(
  loadServices: () => Promise<readonly GatewayService[]>,
  given: string | undefined,
): Promise<void> {
  loadBuiltIn = loadServices;
  file = undefined;
  faults = [];
  builtIn = [];
  try {
    file = await loadConfigFile(loadBuiltIn, given);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    faults = thrown.problems;
  }
}

/** Loads the built-in services where they are served. Until then the project has only those of its configuration file. */
export async function loadProjectServices(): Promise<void> {
  if (servesBuiltIn()) builtIn = await loadBuiltIn();
}

/** Takes the place of the configuration file. Throws ConfigError where the folder has one. */
export function useProject(project: LoadedConfigFile): void {
  const found = file?.name ?? (faults.length > 0 ? 'the configuration file' : undefined);
  if (found !== undefined)
    throw new ConfigError([
      `${found} of this folder says what is served: run triglyph serve without ${project.name}, or use another folder.`,
    ]);
  file = project;
}

/** The faults of the configuration file. */
export function projectFaults(): readonly string[] {
  return faults;
}

/** The name of the configuration file, if there is one. */
export function configFileName(): string | undefined {
  return file?.name;
}

/** The services of one's own. None where the configuration file has faults. */
export function ownServices(): readonly GatewayService[] {
  return file?.services ?? [];
}

/** Whether the built-in services are served. */
export function servesBuiltIn(): boolean {
  return file?.servesBuiltIn ?? true;
}

/** The services that this program serves: the built-in ones and those of the configuration file. */
export function projectServices(): readonly GatewayService[] {
  return [...(servesBuiltIn() ? builtIn : []), ...ownServices()];
}

/** The word for a tenant, as the services have it: the name of an operand of commands. */
export function tenantOperand(): string {
  return credentialRulesOf(projectServices()).tenantNoun;
}

/** Their settings. */
export function projectSettings(): readonly SettingGroup[] {
  return settingGroupsOf(projectServices());
}

/** The deprecated calls. None where the configuration file has faults. */
export function projectDeprecations(): readonly DeprecationRule[] {
  return file?.deprecations ?? [];
}

/** The environment, `.env` and the configuration file. */
export function projectSources(): VariableSources {
  const sources = readSources();
  return file === undefined ? sources : sources.with(file.source);
}

/** What the configuration file says of upstreams, unchecked. */
export function projectUpstreams(): UpstreamParts {
  return file?.upstreams ?? {};
}

/** The upstreams that receive mapped credentials. */
export function mappedUpstreams(): readonly string[] {
  const { upstreams = {} } = projectUpstreams();
  return Object.entries(upstreams).flatMap(([name, each]) => [
    ...(each?.credentials === 'mapped' ? [name] : []),
    ...(each?.shadow?.credentials === 'mapped' ? [shadowName(name)] : []),
  ]);
}

/** Throws ConfigError with the faults of the configuration file and of all settings. */
export function readProjectConfig(mode: Mode, sources = projectSources()): Config {
  checkProject();
  return readConfig(mode, sources, projectSettings());
}

/** Throws ConfigError with the faults of the configuration file. */
export function checkProject(): void {
  if (faults.length > 0) throw new ConfigError(faults);
}

/** The options that say where `demo` and `mock` are reached. */
export interface AddressFlags {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly adminPort?: string | undefined;
}

/** The settings that these options stand for. */
export function addressSettings({ host, port, adminPort }: AddressFlags): Readonly<Record<string, string>> {
  return {
    ...(host !== undefined && { HOST: host }),
    ...(port !== undefined && { PORT: port }),
    ...(adminPort !== undefined && { ADMIN_PORT: adminPort }),
  };
}
