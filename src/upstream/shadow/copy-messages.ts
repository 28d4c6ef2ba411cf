/** What a gateway and its thread of copies tell each other. */
import type { Difference } from '../../compare/compare-values.ts';
import type { RuleTexts } from '../../compare/rules.ts';
import type { AnyRequest } from '../../contract/canonical.ts';
import type { Service } from '../../contract/service.ts';
import type { Headers, UpstreamCredentials, UpstreamSetup } from '../options.ts';
import type { NamedAnswer, Side } from './compare-copy.ts';

/** An upstream as data. */
export interface SideSetup
  extends Omit<UpstreamSetup, 'credentials' | 'protocols' | 'referenceHeader' | 'clock' | 'report' | 'unknownMembers'> {
  readonly credentials: Omit<UpstreamCredentials, 'find' | 'inQuery'>;
}

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

/** A copy of a request, with the answer that its caller got. */
export interface CopyMessage {
  readonly id: number;
  readonly upstream: string;
  readonly to: Side;
  readonly service: string;
  readonly operation: string;
  readonly request: Omit<AnyRequest, 'service' | 'operation'>;
  readonly credential: FoundCredential;
  readonly key: string | undefined;
  readonly answer: NamedAnswer;
  /** Whether rules pair the references of both servers: equal answers say something then, too. */
  readonly pairsIds: boolean;
}

export type CopyResult =
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'compared'; readonly differences: readonly Difference[] };

/** `result`: absent in the answer to a number. `cpuUs`: of the thread since its last reply, in microseconds. */
export interface CopyReply {
  readonly id: number;
  readonly result: CopyResult | undefined;
  readonly cpuUs: number;
}
