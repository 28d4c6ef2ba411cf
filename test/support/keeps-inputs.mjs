/** The control of heap.test.ts: keeps the text of each request, as a cache or a log buffer would. */
import { IncomingMessage } from 'node:http';

const kept = [];
globalThis.keptInputs = kept;
const { push } = IncomingMessage.prototype;
IncomingMessage.prototype.push = function keep(chunk, ...others) {
  if (chunk) kept.push(chunk.toString('latin1'));
  return push.call(this, chunk, ...others);
};
