/** Masks a JSON text that a format has parsed: values that the contract has and does not call sensitive stay as they were sent. */
import { MaskedOutput, type MaskedText, type MaskText } from './masked-output.ts';
import { below, type Place } from './place.ts';

interface Open {
  readonly place: Place;
  readonly isArray: boolean;
}

const token = /[ \t\r\n]+|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^ \t\r\n"{}[\],:]+|"/gs;
const isName = /[ \t\r\n]*:/y;

export function maskJson(text: string, root: Place, maskText: MaskText, lengthMax: number): MaskedText {
  const output = new MaskedOutput(maskText, lengthMax);
  const open: Open[] = [];
  let place = root;
  for (const found of text.matchAll(token)) {
    if (output.isFull) break;
    const [sent] = found;
    const around = open.at(-1);
    switch (sent[0]) {
      case '{':
      case '[':
        open.push({ place, isArray: sent === '[' });
        output.add(sent);
        break;
      case '}':
      case ']':
        open.pop();
        output.add(sent);
        break;
      case ',':
        place = around?.place;
        output.add(sent);
        break;
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ':':
        output.add(sent);
        break;
      case '"': {
        const decoded = parsed(sent);
        isName.lastIndex = found.index + sent.length;
        if (decoded !== undefined && around?.isArray === false && isName.test(text)) {
          place = below(around.place, decoded);
          output.addName(place, sent, decoded, JSON.stringify);
        } else output.addValue(place, sent, decoded, JSON.stringify);
        break;
      }
      default:
        if (sent === 'null') output.add(sent);
        else output.addValue(place, sent, sent, JSON.stringify);
    }
  }
  return output.result();
}

/** Undefined for what is no JSON string. */
function parsed(sent: string): string | undefined {
  try {
    return JSON.parse(sent) as string;
  } catch {
    return undefined;
  }
}
