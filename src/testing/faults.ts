/** Faults that a test asks for: delays, closed connections, refusals and broken answers. */
import { setTimeout } from 'node:timers/promises';
import type { CanonicalRequest } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import { problemsOf } from '../contract/service.ts';
import type { Answer } from '../gateway/answer.ts';
import type { Interceptor } from '../gateway/handle-request.ts';

/** Which requests have the fault: those that fit every member given. */
export interface FaultFilter {
  readonly operation?: string;
  readonly service?: string;
  /** `soap11`, `soap12`, `json`, `form`, `adapter` or `rest`. */
  readonly format?: string;
  /** The id of a credential. */
  readonly credential?: string;
}

export interface Fault extends FaultFilter {
  /** Waits before the request is executed. */
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

interface Pending {
  readonly fault: Fault;
  left: number;
}

const members: ReadonlySet<string> = new Set<keyof Fault>([
  'operation',
  'service',
  'format',
  'credential',
  'delayMs',
  'drop',
  'answer',
  'malformed',
  'times',
  'rate',
]);

export class Faults {
  readonly #fraction: () => number;
  readonly #problems: () => ReadonlySet<string>;
  #pending: Pending[] = [];

  /** `fraction`: a random number from 0 up to 1. `problems`: the names that a fault may answer with. */
  constructor(fraction: () => number, problems: () => ReadonlySet<string>) {
    this.#fraction = fraction;
    this.#problems = problems;
  }

  /** The next fitting request has the fault, or the next `times` ones. Throws TypeError for a fault that cannot be. */
  next(fault: Fault): void {
    this.#add(fault, fault.times ?? 1);
  }

  /** Every fitting request has the fault, until `clear`. */
  always(fault: Fault): void {
    this.#add(fault, Number.POSITIVE_INFINITY);
  }

  clear(): void {
    this.#pending = [];
  }

  readonly intercept: Interceptor = async (request, format, proceed) => {
    const fault = this.#take(request, format);
    if (fault === undefined) return proceed();
    if (fault.delayMs !== undefined) await setTimeout(fault.delayMs);
    if (fault.drop === 'before') return dropped(format);
    if (fault.answer !== undefined) throw refusal(request, fault.answer);
    const answer = await proceed();
    if (fault.drop === 'after') return { ...answer, dropsConnection: true };
    if (fault.malformed !== true) return answer;
    const { message } = answer;
    return { ...answer, message: { ...message, body: message.body.slice(0, message.body.length / 2) } };
  };

  #add(fault: Fault, times: number): void {
    const unknown = Object.keys(fault).find((name) => !members.has(name));
    if (unknown !== undefined) throw new TypeError(`a fault has no member ${unknown}`);
    if (fault.answer !== undefined && !this.#problems().has(fault.answer))
      throw new TypeError(`no service has the problem ${fault.answer}`);
    if (!(times >= 1)) throw new TypeError('a fault happens at least once');
    if (fault.rate !== undefined && !(fault.rate >= 0 && fault.rate <= 1)) throw new TypeError('a rate is from 0 to 1');
    if (fault.delayMs !== undefined && !(fault.delayMs >= 0 && fault.delayMs <= delayMsMax))
      throw new TypeError(`a delay is from 0 to ${delayMsMax} ms`);
    this.#pending.push({ fault, left: times });
  }

  #take(request: CanonicalRequest, format: string): Fault | undefined {
    const index = this.#pending.findIndex(({ fault }) => fits(fault, request, format));
    const pending = this.#pending[index];
    if (pending === undefined) return undefined;
    if (pending.fault.rate !== undefined && this.#fraction() >= pending.fault.rate) return undefined;
    pending.left -= 1;
    if (pending.left === 0) this.#pending.splice(index, 1);
    return pending.fault;
  }
}

const delayMsMax = 600_000;

function fits(fault: FaultFilter, { operation, service, caller }: CanonicalRequest, format: string): boolean {
  return (
    (fault.operation ?? operation.name) === operation.name &&
    (fault.service ?? service.name) === service.name &&
    (fault.format ?? format) === format &&
    (fault.credential ?? caller.credential) === caller.credential
  );
}

function refusal({ service }: CanonicalRequest, name: string): Problem {
  const kind = problemsOf(service).get(name);
  if (kind === undefined) throw new TypeError(`${service.name} has no problem ${name}`);
  return new Problem(kind);
}

function dropped(protocol: string): Answer {
  return {
    message: { status: 500, contentType: 'text/plain', headers: {}, body: '' },
    entry: { protocol, requestReference: '', outcome: 'dropped' },
    dropsConnection: true,
  };
}
