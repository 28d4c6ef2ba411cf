/** Which command runs, and for whom, as the audit log records it. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { AuditActor, AuditDetail, AuditEvent } from '../../access/index.ts';
import { redact } from '../../core/lib/index.ts';

/** One command runs in a process. */
let current: { readonly name: string; readonly detail: AuditDetail } | undefined;

/** Operands that are about a person, or may hold a secret. */
const hidden: ReadonlySet<string> = new Set(['shopperReference', 'url', 'message']);
const valueLengthMax = 200;

/** For the start of a command. Values of options may be secrets: only their names are recorded. */
export function rememberCommand(command: Command): void {
  const operands = command.registeredArguments.map((argument, index): [string, string] => {
    const name = argument.name();
    const given = command.processedArgs[index] as unknown;
    const text = given === undefined ? '' : redact(String(given)).slice(0, valueLengthMax);
    return [name, hidden.has(name) && text !== '' ? '(hidden)' : text];
  });
  const options = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long, short }) => long ?? short);
  current = {
    name: pathOf(command),
    detail: {
      ...Object.fromEntries(operands.filter(([, text]) => text !== '')),
      ...(options.length > 0 && { options: options.join(' ') }),
    },
  };
}

/** Undefined outside of the program, such as in tests of a part of it. */
export function commandEvent(detail: AuditDetail = {}): AuditEvent | undefined {
  return (
    current && { kind: 'command', actor: systemUser(), subject: current.name, detail: { ...current.detail, ...detail } }
  );
}

/** The user of the operating system, and who has become that user with sudo: `root (sudo anna)`. */
export function systemUser(): AuditActor {
  const { SUDO_USER: before } = process.env;
  const name = ownName();
  return { type: 'user', name: before === undefined ? name : `${name} (sudo ${before.slice(0, 64)})` };
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run a user without a name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** `credential merchant-account add`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
