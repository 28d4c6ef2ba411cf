/** Recordings of requests and answers in files. It is loaded where it is configured. */
export { createRequestRecorder, type RequestRecorder } from './create-recorder.ts';
