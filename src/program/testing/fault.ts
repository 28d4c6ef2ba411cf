/** The description of a fault, and the check of its members: tests write them in JavaScript and JSON, too. */
import { problemsOf, type Service } from '../../core/contract/index.ts';
import { protocolNames } from '../../core/formats/index.ts';
import { checkMembers, checkNumber, InvalidMember } from './invalid-member.ts';

/** Which requests have the fault: those that fit every member given. */
export interface FaultFilter {
  readonly operation?: string;
  readonly service?: string;
  /** `soap11`, `soap12`, `json`, `form`, `adapter` or `rest`. */
  readonly format?: string;
  /** The id of a credential. */
  readonly credential?: string;
}

/** A fault: what happens to the requests that fit, and to how many. */
export interface Fault extends FaultFilter {
  /** Waits before the request has its effect, when its key is reserved: another request with the key is refused as in flight meanwhile. */
  readonly delayMs?: number;
  /** Closes the connection without an answer, before or after the effect. */
  readonly drop?: 'before' | 'after';
  /** Refuses with this problem of the service or of the engine, such as `internal`, instead of executing the request. */
  readonly answer?: string;
  /** Executes the request, and cuts its answer in half. */
  readonly malformed?: boolean;
  /** So many requests have the fault; the next one by default. */
  readonly times?: number;
  /** The share of the fitting requests that have the fault, from 0 to 1; all by default. */
  readonly rate?: number;
}

/** The names that a fault may use. */
export interface FaultNames {
  readonly operations: ReadonlySet<string>;
  readonly services: ReadonlySet<string>;
  readonly problems: ReadonlySet<string>;
}

export function faultNamesOf(services: readonly Service[]): FaultNames {
  return {
    operations: new Set(services.flatMap(({ operations }) => [...operations.keys()])),
    services: new Set(services.map(({ name }) => name)),
    problems: new Set(services.flatMap((service) => [...problemsOf(service).keys()])),
  };
}

/** Throws InvalidMember. */
export function checkFault(fault: Fault, { operations, services, problems }: FaultNames): void {
  checkMembers(fault, members);
  checkName('operation', fault.operation, operations);
  checkName('service', fault.service, services);
  checkName('format', fault.format, formats);
  if (fault.credential !== undefined && typeof fault.credential !== 'string')
    throw new InvalidMember('credential', 'is not the id of a credential');
  checkNumber('delayMs', fault.delayMs, 0, delayMsMax);
  checkName('drop', fault.drop, drops);
  checkName('answer', fault.answer, problems);
  if (fault.malformed !== undefined && typeof fault.malformed !== 'boolean')
    throw new InvalidMember('malformed', 'is neither true nor false');
  checkNumber('times', fault.times, 1, Number.MAX_SAFE_INTEGER);
  checkNumber('rate', fault.rate, 0, 1);
}

const members = Object.keys({
  operation: true,
  service: true,
  format: true,
  credential: true,
  delayMs: true,
  drop: true,
  answer: true,
  malformed: true,
  times: true,
  rate: true,
} satisfies Record<keyof Fault, true>);

const drops: ReadonlySet<string> = new Set(['before', 'after']);
const formats: ReadonlySet<string> = new Set(protocolNames);
const delayMsMax = 600_000;

function checkName(member: string, value: unknown, names: ReadonlySet<string>): void {
  if (value === undefined || (typeof value === 'string' && names.has(value))) return;
  throw new InvalidMember(member, `${JSON.stringify(value)} is not one of ${[...names].join(', ')}`);
}
