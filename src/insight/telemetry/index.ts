/** Traces and metrics over OTLP. */
export * from './open-telemetry.ts';
export type { Telemetry, TelemetryParts } from './telemetry.ts';
