/** The names of formats, for people. */
import type { EditedMessage } from './types.ts';

export type Format = NonNullable<EditedMessage['format']>;

export const formatTitles: Readonly<Record<Format, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  json: 'JSON',
  form: 'FORM',
  adapter: 'Form adapter',
  rest: 'HTTP',
};
