/** The contract language of the package: `triglyph/contract`. */
import { hash } from 'node:crypto';
import { createService, type GatewayService } from '../../backend/index.ts';
import { service as declareService, type Operation, type Service } from '../../core/contract/index.ts';
import {
  type HandlersOf,
  implement,
  implementPartly,
  statement as nameStatement,
  type Row,
  type Statement,
  type Table,
} from '../../stores/index.ts';

export {
  defineService,
  type Erasure,
  type EventContent,
  type GatewayService,
  type Importer,
  type ServiceDefinition,
  type ServiceParts,
  type TextScan,
} from '../../backend/index.ts';

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
} from '../../config/index.ts';
export {
  type AnyCaller,
  type BinarySchema,
  type BooleanSchema,
  binary,
  boolean,
  type Caller,
  type CallerIdentity,
  type CanonicalRequest,
  type Choice,
  type Conventions,
  type CredentialPlace,
  converted,
  type DateSchema,
  type DateTimeSchema,
  type DecimalSchema,
  type Documented,
  type DoubleSchema,
  date,
  dateTime,
  decimal,
  defineProblems,
  double,
  type Effect,
  type EnumSchema,
  type ErrorType,
  type Fault,
  type FaultCode,
  type Field,
  type FieldLocation,
  type FieldOptions,
  type Fields,
  type Format,
  type ForwardedCaller,
  type Grant,
  type GrantedField,
  type HttpBinding,
  has,
  type IgnoredMembers,
  type Infer,
  type InferFields,
  type Input,
  type IntegerSchema,
  type Issue,
  type ItemStep,
  inAnyCase,
  integer,
  joined,
  kind,
  type LegacyAddresses,
  type ListOptions,
  type ListSchema,
  lacks,
  list,
  type MapSchema,
  type MessageElements,
  type Method,
  map,
  mapOf,
  mutuallyRecursive,
  type Namespaces,
  type ObjectOptions,
  type ObjectSchema,
  type Operation,
  type Output,
  object,
  olderVersion,
  oneOf,
  operation,
  optional,
  type ParameterStyle,
  type Path,
  type PolymorphicSchema,
  Problem,
  type ProblemDetails,
  type ProblemKind,
  type ProblemName,
  type ProblemParts,
  type ProblemRef,
  type ProblemType,
  polymorphic,
  problems,
  type Recursion,
  type RequestHead,
  recursive,
  renamed,
  required,
  type ScalarSchema,
  type Schema,
  type SchemaOptions,
  type Sender,
  type SentParts,
  type Service,
  type SetSchema,
  type SoapActions,
  type SoapStyle,
  type Step,
  type StringSchema,
  self,
  string,
  type Transitions,
  type UpstreamAnswer,
  type UpstreamBinding,
  type UpstreamBody,
  type UpstreamParameter,
  type UsernameToken,
  type VersionRange,
  type XsdType,
} from '../../core/contract/index.ts';
export type { HandlerContext } from '../../core/gateway/index.ts';
export type { Clock, IdGenerator } from '../../core/lib/index.ts';
export type { Vault } from '../../core/vault/index.ts';
export {
  type Column,
  type ColumnName,
  type Columns,
  type ColumnsRow,
  column,
  type Dialect,
  type Handler,
  type HandlerOf,
  type HandlersOf,
  type Index,
  implement,
  type KeptFor,
  type NumberName,
  type Parent,
  type ReadStore,
  type ReadTransaction,
  type Reference,
  type Row,
  type RowOf,
  type SealedRecord,
  type Signed,
  type SqlName,
  type Statement,
  signRow,
  type Table,
  type TableKey,
  type TableParts,
  type TenantColumn,
  type TenantName,
  type Transaction,
  type TwoPhaseHandler,
  table,
  type Value,
  verifyRow,
} from '../../stores/index.ts';

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
