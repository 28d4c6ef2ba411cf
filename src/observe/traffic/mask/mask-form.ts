/** Masks the pairs of a form or of a query: values that the contract has and does not call sensitive stay as they were sent. */
import { MaskedOutput, type MaskedText, type MaskText, masked } from './masked-output.ts';
import { below, type Place } from './place.ts';

export function maskForm(text: string, root: Place, maskText: MaskText, lengthMax: number): MaskedText {
  const output = new MaskedOutput(maskText, lengthMax);
  let isFirst = true;
  for (let at = 0; at <= text.length && !output.isFull; ) {
    const next = text.indexOf('&', at);
    const end = next < 0 ? text.length : next;
    const sign = text.indexOf('=', at);
    const nameEnd = sign < 0 || sign > end ? end : sign;
    if (!isFirst) output.add('&');
    isFirst = false;
    const sentName = text.slice(at, nameEnd);
    const name = decode(sentName);
    // As in JSON, the items of a list are at its place, and then below the index.
    const place = name === undefined ? undefined : name.split('.').reduce<Place>(below, root);
    if (name !== undefined && name !== '') output.addName(place, sentName, name, same);
    else if (sentName !== '') output.add(masked);
    if (nameEnd < end) {
      output.add('=');
      const sent = text.slice(nameEnd + 1, end);
      if (sent !== '') output.addValue(place, sent, decode(sent), same);
    }
    at = end + 1;
  }
  return output.result();
}

function same(text: string): string {
  return text;
}

/** Undefined for a text that is not percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
