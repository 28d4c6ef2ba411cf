/** Opens the backend of the configuration for one command. Servers may be running. */
import type { AuditTrail } from '../../access/index.ts';
import { type Backend, describeStore, keyFileFaults, openBackend, storeAddress } from '../../backend/index.ts';
import { type Config, hasDatabase, keyFileIn } from '../../config/index.ts';
import { CommitUnknown, StoreUnavailable } from '../../stores/index.ts';
import { commandEvent, systemUser } from './audited-command.ts';
import { CommandError, explain, fail } from './command-error.ts';
import { projectServices, projectSources, readProjectConfig } from './project.ts';

export interface WithBackendOptions {
  /** What the configuration must name: a database, which is the default; a store, which may be Redis; or nothing. */
  readonly needs?: 'database' | 'store' | 'nothing';
  /** Whether the command runs where the audit log does not take its entry, such as on a copy that only reads. */
  readonly runsUnrecorded?: boolean;
  /** What an operator reads after an error of the store, which `place` names: what is done, and how to go on. */
  readonly next?: (place: string) => readonly string[];
}

/** Records the command, then runs it. Throws ConfigError, KeyRingError, CommandError, and errors of `work`. */
export async function withBackend<T>(
  work: (backend: Backend, config: Config) => Promise<T>,
  { needs = 'database', runsUnrecorded = false, next = nextAfterOneStep }: WithBackendOptions = {},
): Promise<T> {
  const config = readCommandConfig();
  if (needs === 'database') requireDatabase(config);
  if (needs === 'store' && config.stateless)
    fail(['This gateway stores nothing: this command needs REDIS_STORE_URL, DATA_DIR or DATABASE_URL.']);
  if (config.keyFile !== undefined) fail(keyFileFaults(config.keyFile));
  return explainStoreErrors(
    () => runOnBackend(work, config, runsUnrecorded),
    () => next(describeStore(storeAddress(config))),
  );
}

/** The configuration, with the key file that a server without settings for keys has created in DATA_DIR. */
function readCommandConfig(): Config {
  const config = readProjectConfig('production');
  const { keys, databaseUrl, dataDir } = config;
  const created = keyFileIn(dataDir);
  if (keys !== undefined || databaseUrl !== undefined || created === undefined || !hasDatabase(config)) return config;
  const source = { name: 'created', variables: { KEY_FILE: created } };
  return readProjectConfig('production', projectSources().overriddenBy(source));
}

/** Throws CommandError where there is no database: what the command would do ends with it. */
export function requireDatabase(config: Config): void {
  if (hasDatabase(config)) return;
  const place = describeStore(storeAddress(config));
  fail([`The store is ${place}, without a database: this command needs DATA_DIR or DATABASE_URL.`]);
}

async function runOnBackend<T>(
  work: (backend: Backend, config: Config) => Promise<T>,
  config: Config,
  runsUnrecorded: boolean,
): Promise<T> {
  const backend = await openBackend(config, { exclusive: false, actor: systemUser() }, projectServices());
  backend.auditCopy?.listen((thrown) => warn(`the audit log was not copied: ${explain(thrown).join(' ')}`));
  try {
    await recordCommand(backend.audit, {}, runsUnrecorded);
    if (!runsUnrecorded && !backend.integrity.hasKeys) await backend.loadIntegrity({ create: true });
    return await work(backend, config);
  } catch (thrown) {
    await recordCommand(backend.audit, { outcome: 'failed' }, true);
    throw thrown;
  } finally {
    await backend.close();
  }
}

async function recordCommand(
  audit: AuditTrail,
  detail: { readonly outcome?: string },
  mayFail: boolean,
): Promise<void> {
  const event = commandEvent(detail);
  if (event === undefined) return;
  try {
    await audit.append([event]);
  } catch (thrown) {
    if (!mayFail) throw thrown;
  }
}

function warn(text: string): void {
  process.stderr.write(`triglyph: ${text}\n`);
}

/** Runs `work`. Throws its errors; those of a store that does not answer become a CommandError that ends with `next`. */
export async function explainStoreErrors<T>(work: () => Promise<T>, next: () => readonly string[]): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable || thrown instanceof CommitUnknown)
      throw new CommandError([...explain(thrown), ...next()]);
    throw thrown;
  }
}

/** Says what to do after a command of one step has failed. */
function nextAfterOneStep(place: string): readonly string[] {
  return [
    `The store is ${place}. The last step was stored whole or not at all.`,
    'Look whether it was stored before you run the command again.',
  ];
}
