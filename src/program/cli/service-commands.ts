/** Adds the commands that services contribute: those of their actions, those that import a file, and others. */
import type { Command } from 'commander';
import type { ActionCommand, GatewayService, ServiceCommand } from '../../backend/index.ts';
import type { Operation } from '../../core/contract/index.ts';
import { addImportOptions, type ImportOptions, runImport } from './import/file.ts';
import { addExample, addOperation } from './operator-command.ts';
import { printAll } from './output.ts';
import { withBackend } from './with-backend.ts';

/** The first words of their commands. */
export function serviceCommandNames(services: readonly GatewayService[]): readonly string[] {
  return services.flatMap(({ definition: { commands = {} } }) => Object.keys(commands).map((name) => firstOf(name)));
}

/** Adds the commands whose name has this first word. */
export async function addServiceCommands(
  program: Command,
  services: readonly GatewayService[],
  first: string,
): Promise<void> {
  const isMeant = (name: string): boolean => firstOf(name) === first;
  for (const service of services) {
    const { commands = {}, actions = [] } = service.definition;
    for (const [name, command] of Object.entries(commands))
      if (isMeant(name)) addServiceCommand(program, name, command, service);
    if (!Object.keys(commands).some(isMeant)) continue;
    for (const { operations, loadCommands } of actions)
      for (const [operation, command] of Object.entries(await loadCommands()))
        if (isMeant(command.name)) {
          const { group, last } = placeOf(program, command.name);
          const acts = operations.find((each) => each.name === operation)!;
          // `defineActions` pairs each operation with a command of its own input and output.
          addOperation(group, last, acts, command as ActionCommand<Operation>);
        }
  }
}

function addServiceCommand(
  program: Command,
  name: string,
  { doc, example, imports, run }: ServiceCommand<never>,
  service: GatewayService,
): void {
  const { group, last } = placeOf(program, name);
  const command = addExample(group.command(last).description(doc), example);
  if (run !== undefined)
    command.action(() =>
      withBackend(async (backend) => printAll(await run(service.sharedIn(backend) as never, backend))),
    );
  if (imports === undefined) return;
  addImportOptions(command, service.definition.importers![imports]!.rows).action(
    (file: string, options: ImportOptions) => runImport(imports, file, options),
  );
}

/** Returns the group that a name stands for, which is added before, and its last word. */
function placeOf(program: Command, name: string): { readonly group: Command; readonly last: string } {
  const words = name.split(' ');
  const group = words
    .slice(0, -1)
    .reduce((parent, word) => parent.commands.find((each) => each.name() === word)!, program);
  return { group, last: words.at(-1)! };
}

function firstOf(name: string): string {
  return name.split(' ', 1)[0]!;
}
