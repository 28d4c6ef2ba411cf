/** Traffic for the console. It is loaded where a console shows it. */
export * from './create-traffic.ts';
export type { TrafficFilter } from './filter.ts';
export { type AllRateRows, addRates, createRates, minuteMs, takeRates } from './rates.ts';
export * from './reader.ts';
export type { TrafficDetails, TrafficLine, TrafficMessage } from './record.ts';
export { type TrafficPage, TrafficRecorder } from './recorder.ts';
