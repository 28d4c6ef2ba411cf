/** The short form of a service: operations with their handlers, one after the other, and defaults for everything else. */
import { defineService, type GatewayService, type ServiceDefinition } from '../../backend/index.ts';
import type { SettingTable } from '../../config/index.ts';
import {
  service as declareService,
  type Effect,
  type ErrorType,
  type Field,
  type Fields,
  kind,
  type ObjectSchema,
  type Operation,
  object,
  operation,
  type ProblemKind,
  type ProblemParts,
  type ProblemRef,
  required,
  type Schema,
} from '../../core/contract/index.ts';
import { type BoundHandler, bindHandler, type Handler, type HandlerOf } from '../../stores/index.ts';

/** What a short service states. Other members are those of `defineService`. */
export interface ShortServiceOptions
  extends Pick<
    ServiceDefinition<Operation, SettingTable, unknown>,
    'tables' | 'upgrades' | 'grants' | 'tenants' | 'webhookFormats' | 'summarizeEvent'
  > {
  /** By default 1. */
  readonly version?: number;
  /** The XML namespace of its messages; by default `urn:` with its name. */
  readonly namespace?: string;
  /** By default a slash and its name in small letters. */
  readonly address?: string;
  /** The role of its operations; by default its name in small letters. */
  readonly role?: string;
}

/** Fields by their names: a schema stands for a required field. */
export type ShortFields = Readonly<Record<string, Schema | Field>>;

type FieldsOf<F extends ShortFields> = {
  readonly [K in keyof F]: F[K] extends Field ? F[K] : F[K] extends Schema ? Field<F[K], true> : never;
};

/** The schema of a message that is given by its fields, or as a schema. */
export type MessageOf<M> = M extends ObjectSchema ? M : M extends ShortFields ? ObjectSchema<FieldsOf<M>> : never;

/** The messages of an operation, and what it may be refused for. */
export interface ShortOperation<I extends ShortFields | ObjectSchema, O extends ShortFields | ObjectSchema> {
  readonly input: I;
  readonly output: O;
  readonly problems?: readonly ProblemRef[];
  /** By default the role of the service. */
  readonly role?: string;
}

/** A part of a short service that can be described. */
export interface Describable {
  /** Sets the description in documents. */
  doc(text: string): void;
}

/** A service that is written in the short form. */
export interface ShortService extends GatewayService, Describable {
  /** Declares a refusal. Its name is that of its message in camel case, its code the next one from 1001. */
  problem(status: number, message: string, parts?: Partial<ProblemParts>): ProblemKind;
  /** Adds an operation that reads. */
  reads<const N extends string, const I extends ShortFields | ObjectSchema, const O extends ShortFields | ObjectSchema>(
    name: N,
    parts: ShortOperation<I, O>,
    handler: Handler<Operation<N, MessageOf<I>, MessageOf<O>, 'reads'>>,
  ): Describable;
  /** Adds an operation that writes. */
  writes<
    const N extends string,
    const I extends ShortFields | ObjectSchema,
    const O extends ShortFields | ObjectSchema,
  >(
    name: N,
    parts: ShortOperation<I, O>,
    handler: Handler<Operation<N, MessageOf<I>, MessageOf<O>, 'writes'>>,
  ): Describable;
}

/** An operation whose description may still be set. */
interface Draft extends ShortOperation<ShortFields | ObjectSchema, ShortFields | ObjectSchema> {
  readonly name: string;
  readonly effect: Effect;
  readonly handler: BoundHandler;
  doc: string;
}

const firstCode = 1001;

/** Returns a service without operations yet. It is complete when it is first served, or its contract is read. */
export function shortService(name: string, options: ShortServiceOptions): ShortService {
  const {
    version = 1,
    namespace = `urn:${name}`,
    address = `/${name.toLowerCase()}`,
    role = name.toLowerCase(),
    ...others
  } = options;
  const problems: ProblemKind[] = [];
  const drafts: Draft[] = [];
  let description = `${name}.`;
  let built: GatewayService | undefined;

  const build = (): GatewayService => {
    if (built !== undefined) return built;
    const bound = drafts.map((draft) => [operationOf(draft, role), draft.handler] as const);
    const operations = bound.map(([each]) => each);
    const prefix = 'own';
    const contract = declareService({
      name,
      version,
      answers: { from: version, to: version },
      doc: description,
      address,
      roles: [...new Set([role, ...operations.map((each) => each.role)])],
      namespaces: { own: prefix, uris: { [prefix]: namespace } },
      soapStyle: 'wrapped',
      problems: Object.fromEntries(problems.map((each) => [each.name, each])),
      operations,
    });
    built = defineService({ contract, ...others, bind: () => new Map(bound) });
    return built;
  };
  const add = (draft: Omit<Draft, 'doc'>): Describable => {
    if (built !== undefined) throw new TypeError(`${name} is served already: ${draft.name} comes too late`);
    const added: Draft = { ...draft, doc: `${draft.name}.` };
    drafts.push(added);
    return {
      doc(text) {
        added.doc = text;
      },
    };
  };
  return {
    kind: 'service',
    get service() {
      return build().service;
    },
    get olderVersions() {
      return build().olderVersions;
    },
    get tables() {
      return build().tables;
    },
    get definition() {
      return build().definition;
    },
    get handlers() {
      return build().handlers;
    },
    sharedObjects: (engine, config) => build().sharedObjects(engine, config),
    open: (server) => build().open(server),
    sharedIn: (backend) => build().sharedIn(backend),
    doc(text) {
      description = text;
    },
    problem(status, message, parts = {}) {
      const code = String(firstCode + problems.length);
      const added = { name: camelCase(message), ...kind(status, code, errorTypeOf(status), message, parts) };
      problems.push(Object.freeze(added));
      return added;
    },
    reads: (operationName, parts, handler) =>
      add({ name: operationName, effect: 'reads', ...parts, handler: bind(handler) }),
    writes: (operationName, parts, handler) =>
      add({ name: operationName, effect: 'writes', ...parts, handler: bind(handler) }),
  };
}

function operationOf({ name, effect, doc, input, output, problems = [], role }: Draft, defaultRole: string): Operation {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  return operation({
    name,
    doc,
    effect,
    role: role ?? defaultRole,
    problems,
    input: messageOf(`${type}Request`, input),
    output: messageOf(`${type}Result`, output),
  });
}

function messageOf(name: string, message: ShortFields | ObjectSchema): ObjectSchema {
  if (isSchema(message)) return message;
  const fields: Fields = Object.fromEntries(
    Object.entries(message).map(([field, each]) => [field, 'schema' in each ? each : required(each)]),
  );
  return object(name, fields);
}

/** A field may be called `kind`, but it is no text. */
function isSchema(message: ShortFields | ObjectSchema): message is ObjectSchema {
  return message.kind === 'object';
}

function bind<O extends Operation>(handler: Handler<O>): BoundHandler {
  const bound: HandlerOf<O> = handler;
  return bindHandler(bound);
}

function errorTypeOf(status: number): ErrorType {
  if (status >= 500) return 'internal';
  return status === 401 || status === 403 ? 'security' : 'validation';
}

/** `Order not found` becomes `orderNotFound`. */
function camelCase(text: string): string {
  const [first = '', ...others] = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return first.toLowerCase() + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
