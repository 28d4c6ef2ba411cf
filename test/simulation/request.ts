/** A request that a simulated client sends, and the formats in which it can be sent. */
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { Call } from '../../src/core/formats/protocol.ts';
import { type Format, protocols } from '../resources/operations.ts';
import type { Step } from './expected.ts';
import type { Model } from './model.ts';
import type { Entry } from './sim-database.ts';

export const company = 'Demo';

export interface SimulatedRequest {
  /** Unique; names the request in traces and messages. */
  readonly text: string;
  readonly service: Service;
  readonly operation: Operation;
  readonly input: object;
  /** Applies the request to the model, and returns what the gateway must answer and write. */
  apply(model: Model, execution: Execution): Step;
}

/** How the gateway executed a request. */
export interface Execution {
  readonly pspReference: string;
  /** The statements that it committed; the model reads only ids and card numbers that the gateway chooses. */
  readonly entries: readonly Entry[];
  /** The external updater was asked and did not answer. */
  readonly updaterFailed: boolean;
}

const calls = new Map<string, Call>();

/** Encodes each request once per format: the runs send the same ones again and again. */
export function encodeCall({ text, service, operation, input }: SimulatedRequest, format: Format): Call {
  const name = `${format} ${text}`;
  const call = calls.get(name) ?? protocols[format].encodeRequest(service, operation, input);
  calls.set(name, call);
  return call;
}

export function decodeAnswer({ operation }: SimulatedRequest, format: Format, text: string): object {
  return protocols[format].decodeResponse(operation, text).value as object;
}
