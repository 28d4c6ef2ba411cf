/** What is observed of one request while it is handled, for its details. It lives as long as the request. */
import type { Buffer } from 'node:buffer';
import type { WireRequest } from '../../formats/wire.ts';
import type { Answer } from '../../gateway/answer.ts';
import type { TrafficStep, UpstreamCall } from './record.ts';

/** A step with its times on the clock of `performance.now`. */
export interface ObservedStep extends Omit<TrafficStep, 'startMs' | 'name'> {
  readonly name: 'decode' | 'execute' | 'read' | 'transaction' | 'upstream';
  readonly startedAt: number;
}

/** More are not kept: an operation may run many transactions. */
const stepsMax = 50;

export class ObservedRequest {
  readonly wire: WireRequest;
  body: Buffer | undefined;
  /** The format that has read the body. */
  format: string | undefined;
  answer: Answer | undefined;
  readonly steps: ObservedStep[] = [];
  readonly upstream: (Omit<UpstreamCall, 'startMs'> & { readonly startedAt: number })[] = [];

  constructor(wire: WireRequest) {
    this.wire = wire;
  }

  addStep(name: ObservedStep['name'], startedAt: number, isFailed: boolean): void {
    if (this.steps.length < stepsMax) this.steps.push({ name, startedAt, ms: performance.now() - startedAt, isFailed });
  }

  addUpstreamCall(call: Omit<UpstreamCall, 'startMs' | 'ms'>, startedAt: number): void {
    if (this.upstream.length < stepsMax) this.upstream.push({ ...call, startedAt, ms: performance.now() - startedAt });
  }

  /** The request, whose body is observed as it is read. */
  observedWire(): WireRequest {
    const { wire } = this;
    return {
      method: wire.method,
      path: wire.path,
      query: wire.query,
      headers: wire.headers,
      requestId: wire.requestId,
      get sender() {
        return wire.sender;
      },
      get certificate() {
        return wire.certificate;
      },
      get traceparent() {
        return wire.traceparent;
      },
      inspect: (requiresHost) => wire.inspect(requiresHost),
      body: async (bytesMax) => {
        this.body = await wire.body(bytesMax);
        return this.body;
      },
    };
  }
}
