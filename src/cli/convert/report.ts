/** Formats a conversion for people: the messages, and the notes on what they are and what changes. */
import { languages } from '../../convert/call-source.ts';
import type { Coercion, Conversion, ConversionIssue, ConvertedMessage } from '../../convert/conversion.ts';
import { changeTexts } from '../../convert/scalar-changes.ts';
import { isFormat, wireFormats } from '../../formats/index.ts';

/** One converted message as it is, several with a heading each; the canonical form where nothing else is asked for. */
export function formatConversion({ canonical, issues, messages, programs }: Conversion): readonly string[] {
  const parts = [
    ...Object.entries(messages).map(([name, message]) => ({ name, text: formatMessage(name, message) })),
    ...Object.entries(programs).map(([name, text]) => ({
      name: languages[name as keyof typeof languages].title,
      text: text.trimEnd(),
    })),
  ];
  if (parts.length === 0) return issues.length > 0 ? [] : [JSON.stringify(canonical, null, 2)];
  if (parts.length === 1) return parts.map(({ text }) => text);
  return parts.map(({ name, text }, at) => `${at === 0 ? '' : '\n'}--- ${name}\n${text}`);
}

/** Only the head of a request with an HTTP binding holds fields. JSON is printed with a member in each line. */
function formatMessage(name: string, { method, path, headers, body }: ConvertedMessage): string {
  const format = isFormat(name) ? wireFormats[name] : undefined;
  const text = format?.text.source?.(body)?.kind === 'json' ? format.text.indent(body) : body;
  if (format?.hasFieldsInHead !== true || method === undefined) return text;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
  ];
  return `${lines.join('\n')}\n\n${text}`.trimEnd();
}

/** Returns the notes with a line break at the end. */
export function formatNotes({ service, version, operation, format, side, coercions, issues }: Conversion): string {
  const lines = [
    `${service}${operation === undefined ? '' : `.${operation}`}, version ${version}: ${side} in ${format}`,
    ...issues.map(({ at, code, message, place }) => `invalid: ${at}${formatPlace(place)}: ${code} ${message}`),
    ...coercions.map((each) => `${each.in === undefined ? 'changed' : `lost in ${each.in}`}: ${formatCoercion(each)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function formatPlace(place: ConversionIssue['place']): string {
  return place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
}

function formatCoercion({ at, changes, from, to }: Coercion): string {
  const values = from === undefined ? '' : ` ${from} -> ${to ?? 'absent'}`;
  return `${at}:${values} (${changes.map((each) => changeTexts[each]).join('; ')})`;
}
