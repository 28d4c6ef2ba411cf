/** The contract language of the package: `triglyph/contract`. */
import { hash } from 'node:crypto';
import type { OwnService } from '../app/own-services.ts';
import type { Operation } from '../contract/operation.ts';
import { service as declareService, type Service } from '../contract/service.ts';
import { type HandlersOf, implement } from '../gateway/implement.ts';
import { statement as nameStatement, type Row, type Statement } from '../store/sql/engine.ts';

export { type Input, type Operation, type Output, operation } from '../contract/operation.ts';
export { defineProblems, kind, Problem, type ProblemKind } from '../contract/problem.ts';
export {
  binary,
  boolean,
  date,
  dateTime,
  decimal,
  integer,
  joined,
  list,
  map,
  mapOf,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../contract/schema.ts';

/** Declares a SQL statement for SQLite and PostgreSQL, with `$1` for its first parameter. `R` is the type of its rows. */
export function statement<R extends Row = Row>(text: string): Statement<R> {
  return nameStatement<R>(`own-${hash('sha256', text).slice(0, 16)}`, text);
}

export interface ServiceOptions {
  /** SQL statements that create the tables of the service, for SQLite and PostgreSQL. Each is applied once. */
  readonly migrations?: readonly string[];
}

/** A contract that can be given its handlers. */
export interface OwnContract<O extends Operation> extends Service<O> {
  /** Pairs the contract with one handler for each operation. */
  with<H extends HandlersOf<O>>(
    handlers: H & Readonly<Record<Exclude<keyof H, O['name']>, never>>,
    options?: ServiceOptions,
  ): OwnService;
}

/** The parts of a service. By default it answers its own version only, and has the roles that its operations name. */
export interface ServiceParts<O extends Operation>
  extends Omit<Service, 'operations' | 'answers' | 'roles'>,
    Partial<Pick<Service, 'answers' | 'roles'>> {
  readonly operations: readonly O[];
}

/** Declares a service. Throws TypeError for operations of one name, and for an undeclared role or namespace. */
export function service<O extends Operation>(parts: ServiceParts<O>): OwnContract<O> {
  const { version, operations } = parts;
  const own: OwnContract<O> = Object.freeze<OwnContract<O>>({
    ...declareService({
      answers: { from: version, to: version },
      roles: [...new Set(operations.map(({ role }) => role))],
      ...parts,
    }),
    with: (handlers, { migrations = [] } = {}) => ({ ...implement(own, handlers), migrations }),
  });
  return own;
}
