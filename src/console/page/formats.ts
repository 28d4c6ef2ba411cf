/** The names of formats and of languages, for people. */

import type { EditedMessage } from '../converter/types.tsx';
import type { printTrafficRequest } from '../request/contract.ts';
import type { Question } from './api.ts';

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

/** The languages of programs, by the names of the service. */
export const languages: readonly {
  readonly value: Question<typeof printTrafficRequest>['language'];
  readonly text: string;
}[] = [
  { value: 'curl', text: 'curl' },
  { value: 'php', text: 'PHP' },
  { value: 'python', text: 'Python' },
  { value: 'java', text: 'Java' },
  { value: 'csharp', text: 'C#' },
  { value: 'ruby', text: 'Ruby' },
  { value: 'node', text: 'Node' },
];
