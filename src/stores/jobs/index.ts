/** Work that outlives a request, and the delivery of webhooks. */
export type { JobKind, JobQueue, TakenJob } from './job.ts';
export * from './notifier.ts';
export { parseEndpointUrl } from './webhooks/address.ts';
export * from './webhooks/deliver.ts';
export { type DomainEvent, parseQueuedEvent, type QueuedEvent } from './webhooks/event.ts';
export * from './webhooks/format.ts';
export type { Endpoint } from './webhooks/ports.ts';
export { signatureHeaders, signatureOf } from './webhooks/signature.ts';
export { createSigningKey, openKeys, type SigningKeys, sealKeys } from './webhooks/signing-keys.ts';
export * from './webhooks/timestamp.ts';
export { type JobHandler, startWorker } from './worker.ts';
