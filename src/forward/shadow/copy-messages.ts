/** Copies of requests, and the messages between a gateway and the process that sends them. */

import type { AnyRequest, Service } from '../../core/contract/index.ts';
import type { Difference } from '../compare/compare-values.ts';
import type { RuleTexts } from '../compare/rules.ts';
import type { Headers, UpstreamCredentials, UpstreamSetup } from '../options.ts';
import type { NamedAnswer, Side } from './compare-copy.ts';

/** A copy of a request, with the answer that its caller got. */
export interface Copy {
  readonly request: AnyRequest;
  readonly to: Side;
  readonly key: string | undefined;
  readonly answer: NamedAnswer;
  /** When it was answered: milliseconds since the epoch. */
  readonly at: number;
}

export type CopyResult =
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'compared'; readonly differences: readonly Difference[] };

/** Sends a copy and compares the answers. Never rejects. */
export type SendCopy = (copy: Copy) => Promise<CopyResult>;

/** An upstream as data. */
export interface SideSetup
  extends Omit<UpstreamSetup, 'credentials' | 'protocols' | 'referenceHeader' | 'clock' | 'report'> {
  readonly credentials: Omit<UpstreamCredentials, 'find' | 'inQuery'>;
}

/** The first message to the process. */
export interface CopySetup {
  /** The newest versions, with the conventions that they have here. */
  readonly services: readonly Service[];
  /** By the names of upstreams. */
  readonly shadows: Readonly<
    Record<string, { readonly rules: RuleTexts; readonly sides: Readonly<Record<Side, SideSetup>> }>
  >;
  readonly referenceHeader: string;
}

export interface FoundCredential {
  readonly headers: Headers;
  readonly inQuery: readonly (readonly [name: string, value: string])[];
}

/** A copy as data: services and operations are named. */
export interface CopyMessage extends Omit<Copy, 'request' | 'at'> {
  readonly id: number;
  readonly upstream: string;
  readonly service: string;
  readonly operation: string;
  readonly request: Omit<AnyRequest, 'service' | 'operation'>;
  readonly credential: FoundCredential;
}

/** What a gateway sends to the process: `close` comes last. */
export type ToCopyProcess = CopySetup | CopyMessage | 'close';

/** Sent when the process can take copies, every tenth of a second while it has one, and with each result. */
export interface CopyReply {
  /** The time of the processor that the process has used so far, in milliseconds. */
  readonly cpuMs: number;
  readonly answered?: readonly [id: number, result: CopyResult];
}
