/** Runs calls to other servers in spans, where a server exports traces. */

/** A call whose result has a `kind`. */
interface TracedCall {
  /** The name of the span. */
  readonly name: string;
  /** Whether a background job calls: its span has no parent. */
  readonly isJob: boolean;
  /** The kind of result that is no error. */
  readonly expected: string;
}

/** `call` gets the span as the text of the header `traceparent`. */
export type TraceCall = <T extends { readonly kind: string }>(
  about: TracedCall,
  call: (traceparent: string) => Promise<T>,
) => Promise<T>;

export interface CallTracer {
  /** `call` gets no span until there is a tracer. */
  run<T extends { readonly kind: string }>(
    about: TracedCall,
    call: (traceparent: string | undefined) => Promise<T>,
  ): Promise<T>;
  /** The server opens its exports after its backend. */
  use(trace: TraceCall): void;
}

export function createCallTracer(): CallTracer {
  let trace: TraceCall | undefined;
  return Object.freeze<CallTracer>({
    run: (about, call) => (trace === undefined ? call(undefined) : trace(about, call)),
    use(next) {
      trace = next;
    },
  });
}
