/** What operators do with the data of a service: actions with their handlers and commands, and commands that are no actions. */
import type { AuditActor } from '../access/index.ts';
import type { Input, Operation, Output } from '../core/contract/index.ts';
import type { HandlerContext } from '../core/gateway/index.ts';
import type { JobQueue } from '../stores/jobs/index.ts';
import type { Erased, Erasure } from './erasure.ts';

/** What a handler of an operators' action gets besides its input. `R`: what `open` of the service returned. */
export interface ActionContext<R> {
  readonly shared: R;
  readonly by: AuditActor;
  /** The tenant that the person is bound to; absent for people who operate the gateway. */
  readonly boundTenant?: string | undefined;
  /** Erases what the key names from all tables, and records it in the audit log. */
  erase<K extends object>(erasure: Erasure<K>, key: K, options: { readonly isDryRun: boolean }): Promise<Erased>;
}

/** One handler for each operation. */
export type ActionHandlers<O extends Operation, R> = {
  readonly [N in O['name']]: (
    input: Input<Extract<O, { readonly name: N }>>,
    context: ActionContext<R>,
  ) => Promise<Output<Extract<O, { readonly name: N }>>>;
};

/** A command, by what `--help` says of it. */
export interface CommandTexts {
  readonly doc: string;
  /** One command, or a text of several lines that `--help` ends with. */
  readonly example: string | (() => string);
}

/** The command of an operation: its operands and its options are the fields of the input. */
export interface AnyActionCommand extends Omit<CommandTexts, 'doc'> {
  /** All its words: `shopper show`. */
  readonly name: string;
  /** By default the documentation of the operation. */
  readonly doc?: string;
  /** The fields that are operands, by the names that the audit log has. All others are options. */
  readonly operands?: Readonly<Record<string, string>>;
  /** The flags of a field where they are not `--field-name <field-name>`. Null: the field is no option. */
  readonly flags?: Readonly<Record<string, string | null | undefined>>;
  /** With `--json`: what is printed as JSON. */
  readonly json?: (output: never, input: never) => unknown;
  /** The lines of the outcome. */
  readonly text: (output: never, input: never) => readonly string[];
  /** Whether the exit code is 1. */
  readonly failed?: (output: never) => boolean;
}

/** The command of an operation `O`. */
export interface ActionCommand<O extends Operation> extends AnyActionCommand {
  readonly operands?: Readonly<Record<string, keyof Input<O> & string>>;
  readonly flags?: Readonly<Partial<Record<keyof Input<O> & string, string | null>>>;
  readonly json?: (output: Output<O>, input: Input<O>) => unknown;
  readonly text: (output: Output<O>, input: Input<O>) => readonly string[];
  readonly failed?: (output: Output<O>) => boolean;
}

/** One command for each operation. */
export type ActionCommands<O extends Operation> = {
  readonly [N in O['name']]: ActionCommand<Extract<O, { readonly name: N }>>;
};

/** Actions of operators about the data of a service: what `defineActions` returns. */
export interface OperatorActions<R> {
  /** What they are about. Actions of several services may be about the same. */
  readonly subject: string;
  readonly operations: readonly Operation[];
  /** Whether people of one tenant may call them, too. Their handlers keep to `boundTenant`. */
  readonly areForTenants: boolean;
  readonly load: () => Promise<ActionHandlersOf<R>>;
  readonly loadCommands: () => Promise<Readonly<Record<string, AnyActionCommand>>>;
}

type ActionHandlersOf<R> = Readonly<Record<string, (input: never, context: ActionContext<R>) => Promise<unknown>>>;

/** Pairs operations with their handlers and their commands, which are loaded when they are needed for the first time. */
export function defineActions<O extends Operation, R>(parts: {
  readonly subject: string;
  readonly operations: readonly O[];
  readonly areForTenants?: boolean;
  readonly load: () => Promise<ActionHandlers<O, R>>;
  readonly loadCommands: () => Promise<ActionCommands<O>>;
}): OperatorActions<R> {
  return Object.freeze<OperatorActions<R>>({ areForTenants: false, ...parts });
}

/** Actions of operators over a store. */
export interface OpenedActions extends Pick<OperatorActions<never>, 'subject' | 'operations' | 'areForTenants'> {
  perform(operation: Operation, input: never, context: Omit<ActionContext<never>, 'shared'>): Promise<unknown>;
}

/** A group of commands, a command that imports a file, or one that does something else. `R`: what `open` of the service returned. */
export interface ServiceCommand<R> extends CommandTexts {
  /** The name of the importer that gets the rows of its file. */
  readonly imports?: string;
  /** Returns the lines that it prints. */
  readonly run?: (
    shared: R,
    server: { readonly jobs: JobQueue; readonly context: HandlerContext },
  ) => Promise<readonly string[]>;
}
