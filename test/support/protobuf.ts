/** Reads protobuf messages by the numbers of their fields, for messages whose generated readers nothing exports. */

export type Field = bigint | Buffer;

/** The fields of a message by number, in their order: numbers as 64 bits, all others as bytes. */
export function readMessage(bytes: Buffer): ReadonlyMap<number, readonly Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('the message ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('the message ends within a field');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const value = (type: number): Field => {
    switch (type) {
      case 0:
        return varint();
      case 1:
        return take(8).readBigUInt64LE();
      case 2:
        return take(Number(varint()));
      case 5:
        return BigInt(take(4).readUInt32LE());
      default:
        throw new RangeError(`no wire type of protobuf: ${type}`);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const list = fields.get(number) ?? [];
    list.push(value(tag & 7));
    fields.set(number, list);
  }
  return fields;
}

/** The messages in a field. */
export function messagesIn(fields: ReadonlyMap<number, readonly Field[]>, number: number) {
  return (fields.get(number) ?? []).map((each) => readMessage(each as Buffer));
}

export function bytesIn(fields: ReadonlyMap<number, readonly Field[]>, number: number): Buffer {
  return (fields.get(number)?.at(-1) as Buffer | undefined) ?? Buffer.alloc(0);
}

export function numberIn(fields: ReadonlyMap<number, readonly Field[]>, number: number): number {
  return Number((fields.get(number)?.at(-1) as bigint | undefined) ?? 0n);
}

/** A field of type double. */
export function doubleIn(fields: ReadonlyMap<number, readonly Field[]>, number: number): number {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64LE((fields.get(number)?.at(-1) as bigint | undefined) ?? 0n);
  return bits.readDoubleLE();
}
