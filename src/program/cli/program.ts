/** Parses the command line, runs one command and sets the exit code. */
import { Command, CommanderError, Option } from 'commander';
import type { GatewayService } from '../../backend/index.ts';
import { version } from '../../config/index.ts';
import { settleAfterStart } from './after-start.ts';
import { rememberCommand } from './audited-command.ts';
import { explain } from './command-error.ts';
import { handleOutputErrors } from './output.ts';
import { endAtSignalsAsFirstProcess, endWithNpm } from './parent-process.ts';
import { configFileName, loadProjectServices, openProject, projectServices, servesBuiltIn } from './project.ts';
import { addServiceCommands, serviceCommandNames } from './service-commands.ts';

interface CommandFile {
  readonly add: (program: Command) => void;
}

/** Each command is loaded on demand: a server needs no CSV reader, and an import no Koa. */
type Commands = Readonly<Record<string, () => Promise<CommandFile>>>;

/** In the order of `--help`; those of services stand between both. */
const servingCommands: Commands = Object.freeze({
  serve: () => import('./serve.ts'),
  demo: () => import('./demo.ts'),
  mock: () => import('./mock.ts'),
});
const otherCommands: Commands = Object.freeze({
  copy: () => import('./copy.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  compact: () => import('./compact.ts'),
  migrate: () => import('./migrate.ts'),
  credential: () => import('./credential.ts'),
  upstream: () => import('./upstream.ts'),
  webhooks: () => import('./webhooks.ts'),
  callers: () => import('./callers.ts'),
  deprecations: () => import('./deprecations.ts'),
  report: () => import('./report.ts'),
  audit: () => import('./audit.ts'),
  retention: () => import('./retention.ts'),
  pending: () => import('./pending.ts'),
  records: () => import('./records.ts'),
  keys: () => import('./keys.ts'),
  check: () => import('./check.ts'),
  wsdl: () => import('./wsdl.ts'),
  openapi: () => import('./openapi.ts'),
  replay: () => import('./replay.ts'),
  recording: () => import('./recording.ts'),
  shadow: () => import('./shadow.ts'),
  convert: () => import('./convert.ts'),
  'import-wsdl': () => import('./import-wsdl.ts'),
});

const commands: Commands = Object.freeze({ ...servingCommands, ...otherCommands });

/** Runs the command of this process. `loadServices`: loads the services that are served where the configuration file does not exclude them. */
export async function runProgram(loadServices: () => Promise<readonly GatewayService[]>): Promise<void> {
  // As `node --disable-proto=delete`: no code reaches a prototype by the name of a member that a caller has sent. Programs that
  // embed the package do not call this function, and workers do.
  Reflect.deleteProperty(Object.prototype, '__proto__');
  // From a failing SQL statement to `handleRequest` are some 25 frames; the default of 10 ends in the store.
  Error.stackTraceLimit = 40;
  const program = createProgram();
  handleOutputErrors();
  endAtSignalsAsFirstProcess();
  const { name, configFile } = readGlobals(process.argv.slice(2));
  // A command may have an option of this name.
  if (name === '') program.version(version, '--version', 'prints the version');
  if (name === 'serve' || name === 'demo' || name === 'mock') endWithNpm();
  await openProject(loadServices, configFile);
  // A server may serve the contracts of a document instead.
  if (name !== 'serve') await loadProjectServices();
  const services = projectServices();
  const contributed = serviceCommandNames(services).filter((each) => !Object.hasOwn(commands, each));
  const names = new Set([...Object.keys(servingCommands), ...contributed, ...Object.keys(otherCommands)]);
  for (const each of names.has(name) ? [name] : names) {
    if (each === 'demo' && !servesBuiltIn()) continue;
    (await commands[each]?.())?.add(program);
    await addServiceCommands(program, services, each);
  }
  settleAfterStart();
  try {
    if (name === 'demo' && !servesBuiltIn())
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
}

function createProgram(): Command {
  return new Command('triglyph')
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
