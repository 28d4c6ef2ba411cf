/** The contract language of the package: `triglyph/contract`. */
import { hash } from 'node:crypto';
import { createService, type GatewayService } from '../../backend/define-service.ts';
import type { Operation } from '../../core/contract/operation.ts';
import { service as declareService, type Service } from '../../core/contract/service.ts';
import { type HandlersOf, implement, implementPartly } from '../../stores/handlers.ts';
import { statement as nameStatement, type Row, type Statement } from '../../stores/sql/engine.ts';
import type { Table } from '../../stores/table.ts';

export {
  defineService,
  type EventContent,
  type GatewayService,
  type Importer,
  type ServiceDefinition,
  type ServiceParts,
  type TextScan,
} from '../../backend/define-service.ts';
export type { Erasure } from '../../backend/erasure.ts';

import { type ShortService, type ShortServiceOptions, shortService } from './short-service.ts';

export {
  defineSettings,
  integer as wholeNumber,
  type Parsed,
  type Setting,
  type SettingGroup,
  type SettingTable,
  setting,
  type ValuesOf,
} from '../../config/setting.ts';
export type {
  AnyCaller,
  Caller,
  CallerIdentity,
  CanonicalRequest,
  ForwardedCaller,
  RequestHead,
  Sender,
  SentParts,
  UsernameToken,
} from '../../core/contract/canonical.ts';
export type { Conventions } from '../../core/contract/conventions.ts';
export type { CredentialPlace } from '../../core/contract/credential-place.ts';
export { converted, has, lacks, olderVersion, renamed } from '../../core/contract/older-version.ts';
export {
  type Effect,
  type Fault,
  type GrantedField,
  type HttpBinding,
  type Input,
  type MessageElements,
  type Method,
  type Operation,
  type Output,
  operation,
  type ParameterStyle,
  type SoapActions,
  type Transitions,
  type UpstreamAnswer,
  type UpstreamBinding,
  type UpstreamBody,
  type UpstreamParameter,
} from '../../core/contract/operation.ts';
export type { ItemStep, Path, Step } from '../../core/contract/path.ts';
export {
  defineProblems,
  type ErrorType,
  type FaultCode,
  type Issue,
  kind,
  Problem,
  type ProblemDetails,
  type ProblemKind,
  type ProblemName,
  type ProblemParts,
  type ProblemRef,
  type ProblemType,
  problems,
} from '../../core/contract/problem.ts';
export { mutuallyRecursive, recursive, self } from '../../core/contract/recursive.ts';
export {
  type BinarySchema,
  type BooleanSchema,
  binary,
  boolean,
  type Choice,
  type DateSchema,
  type DateTimeSchema,
  type DecimalSchema,
  type Documented,
  type DoubleSchema,
  date,
  dateTime,
  decimal,
  double,
  type EnumSchema,
  type Field,
  type FieldLocation,
  type FieldOptions,
  type Fields,
  type Format,
  type Grant,
  type IgnoredMembers,
  type Infer,
  type InferFields,
  type IntegerSchema,
  inAnyCase,
  integer,
  joined,
  type ListOptions,
  type ListSchema,
  list,
  type MapSchema,
  map,
  mapOf,
  type ObjectOptions,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  type PolymorphicSchema,
  polymorphic,
  type Recursion,
  required,
  type ScalarSchema,
  type Schema,
  type SchemaOptions,
  type SetSchema,
  type StringSchema,
  string,
  type XsdType,
} from '../../core/contract/schema.ts';
export type { LegacyAddresses, Namespaces, Service, SoapStyle, VersionRange } from '../../core/contract/service.ts';
export type { HandlerContext } from '../../core/gateway/handler-context.ts';
export type { Clock, IdGenerator } from '../../core/lib/clock-and-ids.ts';
export type { Vault } from '../../core/vault/ports.ts';
export type { Handler, HandlerOf, TwoPhaseHandler } from '../../stores/handlers.ts';
export { type HandlersOf, implement } from '../../stores/handlers.ts';
export type { Dialect, Row, Statement, Value } from '../../stores/sql/engine.ts';
export type { ReadStore } from '../../stores/store.ts';
export {
  type Column,
  type ColumnName,
  type Columns,
  type ColumnsRow,
  column,
  type Index,
  type KeptFor,
  type NumberName,
  type Parent,
  type Reference,
  type RowOf,
  type SealedRecord,
  type Signed,
  type SqlName,
  signRow,
  type Table,
  type TableKey,
  type TableParts,
  type TenantColumn,
  type TenantName,
  table,
  verifyRow,
} from '../../stores/table.ts';
export type { ReadTransaction, Transaction } from '../../stores/transaction.ts';

export type {
  Describable,
  MessageOf,
  ShortFields,
  ShortOperation,
  ShortService,
  ShortServiceOptions,
} from './short-service.ts';

/** Declares a SQL statement for SQLite and PostgreSQL, with `$1` for its first parameter. `R` is the type of its rows. */
export function statement<R extends Row = Row>(text: string): Statement<R> {
  return nameStatement<R>(`own-${hash('sha256', text).slice(0, 16)}`, text);
}

/** What a service has besides its handlers. */
export interface ServiceOptions {
  /** Its tables, in the order in which they reference each other. */
  readonly tables?: readonly Table[];
  /** By the number of a migration: statements that no declaration of a table expresses. Each is applied once. */
  readonly upgrades?: Readonly<Record<number, readonly string[]>>;
}

/** A contract that can be given its handlers. */
export interface OwnContract<O extends Operation> extends Service<O> {
  /** Pairs the contract with one handler for each operation. */
  with<H extends HandlersOf<O>>(
    handlers: H & Readonly<Record<Exclude<keyof H, O['name']>, never>>,
    options?: ServiceOptions,
  ): GatewayService;
  /**
   * Lets the upstream of this name answer the operations, apart from those that have a handler here. The configuration declares
   * the upstream.
   */
  answeredBy(upstream: string, handlers?: Partial<HandlersOf<O>>, options?: ServiceOptions): GatewayService;
}

/** The parts of a service. By default it answers its own version only, and has the roles that its operations and its sets name. */
export interface ContractParts<O extends Operation>
  extends Omit<Service, 'operations' | 'answers' | 'roles'>,
    Partial<Pick<Service, 'answers' | 'roles'>> {
  readonly operations: readonly O[];
}

/** Begins a service in the short form: `reads` and `writes` add its operations with their handlers. */
export function service(name: string, options?: ShortServiceOptions): ShortService;
/** Declares a contract. Throws TypeError for operations of one name, and for an undeclared role or namespace. */
export function service<O extends Operation>(parts: ContractParts<O>): OwnContract<O>;
export function service<O extends Operation>(
  given: string | ContractParts<O>,
  options: ShortServiceOptions = {},
): OwnContract<O> | ShortService {
  return typeof given === 'string' ? shortService(given, options) : declareContract(given);
}

function declareContract<O extends Operation>(parts: ContractParts<O>): OwnContract<O> {
  const { version, operations, roleSets = {} } = parts;
  const own: OwnContract<O> = Object.freeze<OwnContract<O>>({
    ...declareService({
      answers: { from: version, to: version },
      roles: [...new Set([...operations.map(({ role }) => role), ...Object.keys(roleSets)])],
      ...parts,
    }),
    with: (handlers, options) => createService({ contract: own, ...options }, implement(own, handlers).handlers),
    answeredBy: (answeredBy, handlers, options) =>
      createService({ contract: own, answeredBy, ...options }, implementPartly(own, handlers ?? {}).handlers),
  });
  return own;
}
