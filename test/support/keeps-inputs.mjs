/** The control of heap.test.ts: keeps every text that is parsed or decoded, as a cache or a log buffer would. */
const kept = [];
globalThis.keptInputs = kept;
for (const name of ['utf8Slice', 'latin1Slice']) {
  const original = Buffer.prototype[name];
  Buffer.prototype[name] = function keep(...parameters) {
    const text = original.apply(this, parameters);
    kept.push(text);
    return text;
  };
}
const decode = TextDecoder.prototype.decode;
TextDecoder.prototype.decode = function keep(...parameters) {
  const text = decode.apply(this, parameters);
  kept.push(text);
  return text;
};
