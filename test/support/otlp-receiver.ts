/** A receiver of OTLP over HTTP: a real server that decodes what it gets, in protobuf and JSON. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { listenLocally } from './listen-locally.ts';
import { bytesIn, doubleIn, type Field, messagesIn, numberIn, readMessage } from './protobuf.ts';

type Attributes = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2: an error. */
  readonly status: number;
}

export interface ReceivedMetric {
  readonly resource: Attributes;
  readonly name: string;
  readonly points: readonly {
    readonly attributes: Attributes;
    /** The value, or the count of a histogram. */
    readonly value: number;
  }[];
}

export interface OtlpReceiver {
  /** `http://127.0.0.1:40123` */
  readonly origin: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: ReceivedMetric[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** `answers`: false for a receiver that accepts connections and never answers. */
export async function openOtlpReceiver({ answers = true } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    requests.push({ path, headers });
    if (!answers) return;
    const received = Buffer.concat(chunks);
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received;
    const isJson = headers['content-type'] === 'application/json';
    if (path === '/v1/traces') spans.push(...(isJson ? spansOfJson : spansOfProtobuf)(body));
    else if (path === '/v1/metrics') metrics.push(...(isJson ? metricsOfJson : metricsOfProtobuf)(body));
    else response.statusCode = 404;
    response.setHeader('Content-Type', headers['content-type'] ?? 'text/plain').end(isJson ? '{}' : '');
  });
  return {
    origin: `http://127.0.0.1:${await listenLocally(server)}`,
    spans,
    metrics,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Message = ReadonlyMap<number, readonly Field[]>;

const text = (message: Message, number: number): string => bytesIn(message, number).toString();
const hex = (message: Message, number: number): string => bytesIn(message, number).toString('hex');

/** Numbers of opentelemetry/proto/common/v1/common.proto. */
const anyValue = (value: Message): unknown => {
  if (value.has(1)) return text(value, 1);
  if (value.has(2)) return numberIn(value, 2) === 1;
  return value.has(3) ? numberIn(value, 3) : doubleIn(value, 4);
};
const attributesIn = (message: Message, number: number): Attributes =>
  Object.fromEntries(messagesIn(message, number).map((each) => [text(each, 1), anyValue(messagesIn(each, 2)[0]!)]));
const resourceIn = (message: Message): Attributes => attributesIn(messagesIn(message, 1)[0]!, 1);

/** Numbers of opentelemetry/proto/trace/v1/trace.proto. */
const spansOfProtobuf = (body: Buffer): readonly ReceivedSpan[] =>
  messagesIn(readMessage(body), 1).flatMap((ofResource) =>
    messagesIn(ofResource, 2).flatMap((ofScope) =>
      messagesIn(ofScope, 2).map((span) => ({
        resource: resourceIn(ofResource),
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: numberIn(span, 6),
        attributes: attributesIn(span, 9),
        links: messagesIn(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
        status: numberIn(messagesIn(span, 15)[0] ?? new Map(), 3),
      })),
    ),
  );

/** Numbers of opentelemetry/proto/metrics/v1/metrics.proto: gauge 5, sum 7, histogram 9. */
const metricsOfProtobuf = (body: Buffer): readonly ReceivedMetric[] =>
  messagesIn(readMessage(body), 1).flatMap((ofResource) =>
    messagesIn(ofResource, 2).flatMap((ofScope) =>
      messagesIn(ofScope, 2).map((metric) => ({
        resource: resourceIn(ofResource),
        name: text(metric, 1),
        points: [
          ...[5, 7].flatMap((number) =>
            messagesIn(messagesIn(metric, number)[0] ?? new Map(), 1).map((point) => ({
              attributes: attributesIn(point, 7),
              value: doubleIn(point, 4),
            })),
          ),
          ...messagesIn(messagesIn(metric, 9)[0] ?? new Map(), 1).map((point) => ({
            attributes: attributesIn(point, 9),
            value: numberIn(point, 4),
          })),
        ],
      })),
    ),
  );

interface JsonAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
const ofJson = (attributes: readonly JsonAttribute[]): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

// biome-ignore lint/suspicious/noExplicitAny: the tests compare what they need of it.
type Json = any;

const spansOfJson = (body: Buffer): readonly ReceivedSpan[] =>
  JSON.parse(body.toString()).resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap((ofScope: Json) =>
      ofScope.spans.map(({ parentSpanId = '', attributes, links = [], status, ...span }: Json) => ({
        ...span,
        parentSpanId,
        resource: ofJson(resource.attributes),
        attributes: ofJson(attributes),
        links,
        status: status.code,
      })),
    ),
  );

const metricsOfJson = (body: Buffer): readonly ReceivedMetric[] =>
  JSON.parse(body.toString()).resourceMetrics.flatMap(({ resource, scopeMetrics }: Json) =>
    scopeMetrics.flatMap((ofScope: Json) =>
      ofScope.metrics.map(({ name, gauge, sum, histogram }: Json) => ({
        resource: ofJson(resource.attributes),
        name,
        points: (gauge ?? sum ?? histogram).dataPoints.map(({ attributes, asDouble, asInt, count }: Json) => ({
          attributes: ofJson(attributes),
          value: Number(asDouble ?? asInt ?? count),
        })),
      })),
    ),
  );
