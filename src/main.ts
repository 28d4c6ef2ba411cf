/** The program `triglyph`: one command each for serving, importing, credentials, keys and documents. */
import { flushCompileCache } from 'node:module';
import { Command, CommanderError } from 'commander';
import { explain } from './cli/command-error.ts';

/** What a file in `command/` gives. */
interface CommandFile {
  readonly add: (program: Command) => void;
}

/** Only the command that is asked for is loaded; a server needs no CSV reader, and an import no Koa. */
const commands: Readonly<Record<string, () => Promise<CommandFile>>> = Object.freeze({
  serve: () => import('./cli/serve.ts'),
  demo: () => import('./cli/demo.ts'),
  import: () => import('./cli/import.ts'),
  updates: () => import('./cli/updates.ts'),
  shopper: () => import('./cli/shopper.ts'),
  platform: () => import('./cli/platform.ts'),
  copy: () => import('./cli/copy.ts'),
  migrate: () => import('./cli/migrate.ts'),
  credential: () => import('./cli/credential.ts'),
  webhooks: () => import('./cli/webhooks.ts'),
  keys: () => import('./cli/keys.ts'),
  check: () => import('./cli/check.ts'),
  wsdl: () => import('./cli/wsdl.ts'),
  openapi: () => import('./cli/openapi.ts'),
});

const program = new Command('triglyph')
  .description('A payments gateway that speaks one interface in three scripts: SOAP, JSON and FORM.')
  .exitOverride()
  .showHelpAfterError('(add --help for the usage)')
  .addHelpText(
    'after',
    '\nExample:\n  triglyph demo\n\nExit codes: 0 done, 1 refused or failed, 2 not understood.' +
      '\nSettings come from the environment and a .env file; triglyph check prints them.',
  );

const named = process.argv[2] ?? '';
const wanted = Object.hasOwn(commands, named) ? [commands[named]!] : Object.values(commands);
for (const load of wanted) (await load()).add(program);

// A server may never end by itself, and it is on ending that Node would write what it has compiled.
setTimeout(flushCompileCache, 2_000).unref();

try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    // Commander has said it already; asking for help is no mistake.
    process.exitCode = thrown.exitCode === 0 ? 0 : 2;
  } else {
    process.exitCode = 1;
    for (const line of explain(thrown)) process.stderr.write(`triglyph: ${line}\n`);
  }
}
