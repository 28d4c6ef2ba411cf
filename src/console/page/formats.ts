/** The names of formats, for people. */
import type { EditedMessage } from './explorer/types.ts';

export type Format = NonNullable<EditedMessage['format']>;

export const formatTitles: Readonly<Record<Format, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  json: 'JSON',
  form: 'FORM',
  adapter: 'Form adapter',
  rest: 'HTTP',
};

const titles: Readonly<Record<string, string>> = { ...formatTitles, document: 'Document' };

/** A format as the gateway names it, in traffic and in records of callers. */
export function formatTitle(name: string): string {
  return titles[name] ?? name;
}

/** An option of a list: one format, or several with commas between them. */
export function formatOption(names: string): { readonly value: string; readonly text: string } {
  return { value: names, text: names.split(',').map(formatTitle).join(', ') };
}
