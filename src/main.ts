/** The program `triglyph`: parses the command line, runs one command and sets the exit code. */
import { Command, CommanderError, Option } from 'commander';
import { settleAfterStart } from './cli/after-start.ts';
import { rememberCommand } from './cli/audited-command.ts';
import { explain } from './cli/command-error.ts';
import { handleOutputErrors } from './cli/output.ts';
import { endAtSignalsAsFirstProcess, endWithNpm } from './cli/parent-process.ts';
import { configFileName, loadProjectServices, openProject, servesBuiltIn } from './cli/project.ts';
import { version } from './config/version.ts';

interface CommandFile {
  readonly add: (program: Command) => void;
}

/** Each command is loaded on demand: a server needs no CSV reader, and an import no Koa. */
const commands: Readonly<Record<string, () => Promise<CommandFile>>> = Object.freeze({
  serve: () => import('./cli/serve.ts'),
  demo: () => import('./cli/demo.ts'),
  mock: () => import('./cli/mock.ts'),
  import: () => import('./cli/import.ts'),
  updates: () => import('./cli/updates.ts'),
  shopper: () => import('./cli/shopper.ts'),
  platform: () => import('./cli/platform.ts'),
  copy: () => import('./cli/copy.ts'),
  backup: () => import('./cli/backup.ts'),
  restore: () => import('./cli/restore.ts'),
  compact: () => import('./cli/compact.ts'),
  migrate: () => import('./cli/migrate.ts'),
  credential: () => import('./cli/credential.ts'),
  upstream: () => import('./cli/upstream.ts'),
  webhooks: () => import('./cli/webhooks.ts'),
  callers: () => import('./cli/callers.ts'),
  deprecations: () => import('./cli/deprecations.ts'),
  report: () => import('./cli/report.ts'),
  audit: () => import('./cli/audit.ts'),
  retention: () => import('./cli/retention.ts'),
  pending: () => import('./cli/pending.ts'),
  records: () => import('./cli/records.ts'),
  keys: () => import('./cli/keys.ts'),
  check: () => import('./cli/check.ts'),
  wsdl: () => import('./cli/wsdl.ts'),
  openapi: () => import('./cli/openapi.ts'),
  replay: () => import('./cli/replay.ts'),
  recording: () => import('./cli/recording.ts'),
  shadow: () => import('./cli/shadow.ts'),
  convert: () => import('./cli/convert.ts'),
  'import-wsdl': () => import('./cli/import-wsdl.ts'),
});

/** Commands about the data of the built-in services, which a project may not serve. */
const ofBuiltIn: ReadonlySet<string> = new Set(['demo', 'import', 'updates', 'shopper', 'platform']);

// As `node --disable-proto=delete`: no code reaches a prototype by the name of a member that a caller has sent. Programs that
// embed the package do not run this file, and workers do.
Reflect.deleteProperty(Object.prototype, '__proto__');

// From a failing SQL statement to `handleRequest` are some 25 frames; the default of 10 ends in the store.
Error.stackTraceLimit = 40;

const program = new Command('triglyph')
  .description('A gateway that serves one interface in SOAP, JSON and FORM.')
  .addOption(configOption())
  .exitOverride()
  .hook('preAction', (_, command) => rememberCommand(command))
  .showHelpAfterError('(add --help for the usage)')
  .addHelpText(
    'after',
    () =>
      `\nExample:\n  triglyph ${servesBuiltIn() ? 'demo' : 'serve'}\n\nExit codes: 0 success, 1 refused or failed, 2 usage error, 141 the reader of the output has gone.` +
      '\nSettings come from the environment, a .env file and the configuration file; triglyph check prints them.',
  );

handleOutputErrors();
endAtSignalsAsFirstProcess();

const { name, configFile } = readGlobals(process.argv.slice(2));
// A command may have an option of this name.
if (name === '') program.version(version, '--version', 'prints the version');
if (name === 'serve' || name === 'demo' || name === 'mock') endWithNpm();
await openProject(configFile);
// A server may serve the contracts of a document instead.
if (name !== 'serve') await loadProjectServices();
const isServed = (command: string): boolean => servesBuiltIn() || !ofBuiltIn.has(command);
const selected = Object.hasOwn(commands, name) ? [name] : Object.keys(commands);
for (const each of selected) if (isServed(each)) (await commands[each]!()).add(program);

settleAfterStart();

try {
  if (!isServed(name))
    program.error(
      `error: ${name} is about the built-in services, and ${configFileName()} serves none (builtIn: false)`,
    );
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    // Commander has printed the message. Help and version are no error.
    process.exitCode = thrown.exitCode === 0 ? 0 : 2;
  } else {
    process.exitCode = 1;
    for (const line of explain(thrown)) process.stderr.write(`triglyph: ${line}\n`);
  }
}

function configOption(): Option {
  return new Option(
    '--config <file>',
    'the configuration file; by default triglyph.config.ts, .mjs or .json in this folder',
  );
}

/** Some commands have options that the configuration file decides, so it is loaded before they are declared. */
function readGlobals(parameters: string[]): { readonly name: string; readonly configFile?: string | undefined } {
  const globals = new Command()
    .addOption(configOption())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    const { operands } = globals.parseOptions(parameters);
    return { name: operands[0] ?? '', configFile: globals.opts<{ config?: string }>().config };
  } catch {
    // The program reports what is wrong with its options.
    return { name: '' };
  }
}
