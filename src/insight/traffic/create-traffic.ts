/** Creates the recorder of traffic of a server process, and what the composition of the server calls it by. */

import type { Config } from '../../config/index.ts';
import { maskText, type Service } from '../../core/contract/index.ts';
import { describePartsOf } from './describe-request.ts';
import { TrafficReader, type TrafficSource } from './reader.ts';
import { type RecorderOptions, TrafficRecorder } from './recorder.ts';

export type Traffic = ReturnType<typeof createTraffic>;

export interface TrafficParts {
  readonly services: readonly Service[];
}

export function createTraffic({ traffic, trafficRequestsMax, trafficBytesMax }: Config, { services }: TrafficParts) {
  const options: RecorderOptions = {
    requestsMax: trafficRequestsMax,
    bytesMax: trafficBytesMax,
    details: traffic === 'always' ? 'always' : 'watched',
    process: String(process.pid),
  };
  const recorder = new TrafficRecorder(options, describePartsOf(services, maskText));
  const source: TrafficSource = {
    process: options.process,
    after: async (cursor, limit) => recorder.after(cursor, limit),
    find: async (id) => recorder.find(id),
    watch: () => recorder.watch(),
  };
  return Object.freeze({
    recorder,
    /** Reads the traffic of this process. */
    reader: new TrafficReader({ sources: () => [source], rates: recorder.rates, options }),
    close: (): void => recorder.close(),
  });
}
