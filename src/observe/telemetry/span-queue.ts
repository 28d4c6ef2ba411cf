/** The queue of ended spans: the batch processor of the SDK, which drops spans beyond its limit, with a count of them. */
import { TraceFlags } from '@opentelemetry/api';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

export interface QueueLimits {
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

/** `dropped` is called for each span that is dropped. */
export function createSpanQueue(exporter: SpanExporter, limits: QueueLimits, dropped: () => void): SpanProcessor {
  let queued = 0;
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) => {
    queued -= spans.length;
    send(spans, done);
  };
  const batches = new BatchSpanProcessor({ exporter, ...limits });
  return {
    onStart: (span, parent) => batches.onStart(span, parent),
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (queued >= limits.maxQueueSize) return dropped();
      // First, since the processor may export at once.
      queued += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
