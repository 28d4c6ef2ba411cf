/** Faults that a test asks for: delays, closed connections, refusals and broken answers. */
import { setTimeout } from 'node:timers/promises';
import { type AnyRequest, type Problem, problemsOf } from '../../core/contract/index.ts';
import type { Answer, Interceptor } from '../../core/gateway/index.ts';
import { exampleProblem } from './declared-problems.ts';
import { checkFault, type Fault, type FaultFilter, type FaultNames } from './fault.ts';

interface Pending {
  readonly fault: Fault;
  left: number;
}

/** The faults that a test asks for. */
export class Faults {
  readonly #fraction: () => number;
  readonly #names: () => FaultNames;
  #pending: Pending[] = [];

  /**
   * `fraction`: a random number from 0 up to 1.
   * @internal
   */
  constructor(fraction: () => number, names: () => FaultNames) {
    this.#fraction = fraction;
    this.#names = names;
  }

  /** The number of faults that can still happen. */
  get pending(): number {
    return this.#pending.length;
  }

  /**
   * The faults that can still happen, each with the number of requests that it is for.
   * @internal
   */
  list(): readonly { readonly fault: Fault; readonly left: number }[] {
    return this.#pending.map(({ fault, left }) => ({ fault, left }));
  }

  /**
   * What a fault may name.
   * @internal
   */
  names(): FaultNames {
    return this.#names();
  }

  /** The next fitting request has the fault, or the next `times` ones. Throws TypeError for a fault that cannot be. */
  next(fault: Fault): void {
    this.#add(fault, fault.times ?? 1);
  }

  /** Every fitting request has the fault, until `clear`. */
  always(fault: Fault): void {
    this.#add(fault, Number.POSITIVE_INFINITY);
  }

  /** No request has a fault from here on. */
  clear(): void {
    this.#pending = [];
  }

  /** @internal */
  readonly intercept: Interceptor = async (request, format, proceed) => {
    const fault = this.#take(request, format);
    if (fault === undefined) return proceed();
    let hasWaited = fault.delayMs === undefined;
    const wait = async (): Promise<void> => {
      if (!hasWaited) await setTimeout(fault.delayMs);
      hasWaited = true;
    };
    if (fault.drop === 'before' || fault.answer !== undefined) await wait();
    if (fault.drop === 'before') return dropped(format);
    if (fault.answer !== undefined) throw refusal(request, fault.answer);
    const answer = await proceed(wait);
    // A replay has no effect before which it could wait.
    await wait();
    if (fault.drop === 'after') return { ...answer, dropsConnection: true };
    if (fault.malformed !== true) return answer;
    const { message } = answer;
    const { body, bytes } = message;
    const half = { body: body.slice(0, body.length / 2), ...(bytes && { bytes: bytes.subarray(0, bytes.length / 2) }) };
    return { ...answer, message: { ...message, ...half } };
  };

  #add(fault: Fault, times: number): void {
    checkFault(fault, this.#names());
    this.#pending.push({ fault, left: times });
  }

  #take(request: AnyRequest, format: string): Fault | undefined {
    const index = this.#pending.findIndex(({ fault }) => fits(fault, request, format));
    const pending = this.#pending[index];
    if (pending === undefined) return undefined;
    if (pending.fault.rate !== undefined && this.#fraction() >= pending.fault.rate) return undefined;
    pending.left -= 1;
    if (pending.left === 0) this.#pending.splice(index, 1);
    return pending.fault;
  }
}

function fits(fault: FaultFilter, { operation, service, caller }: AnyRequest, format: string): boolean {
  return (
    (fault.operation ?? operation.name) === operation.name &&
    (fault.service ?? service.name) === service.name &&
    (fault.format ?? format) === format &&
    (fault.credential ?? caller.credential) === caller.credential
  );
}

/** A declared fault has the example of its data. */
function refusal({ service, operation }: AnyRequest, name: string): Problem {
  const kind = problemsOf(service).get(name);
  if (kind === undefined) throw new TypeError(`${service.name} has no problem ${name}`);
  return exampleProblem(operation, kind);
}

function dropped(protocol: string): Answer {
  return {
    message: { status: 500, contentType: 'text/plain', headers: {}, body: '' },
    entry: { protocol, requestReference: '', outcome: 'dropped' },
    dropsConnection: true,
  };
}
