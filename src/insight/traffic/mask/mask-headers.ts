/** Masks the headers of a request: values of few known headers are shown, and names of others. */
import { printableName } from '../../../core/contract/index.ts';
import { type MaskText, masked } from './mask-body.ts';

export type MaskedHeader = readonly [name: string, value: string];

const shown: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'soapaction',
  'transfer-encoding',
  'user-agent',
]);

const valueMax = 200;
const headersMax = 40;

export function maskHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  maskText: MaskText,
): readonly MaskedHeader[] {
  return Object.entries(headers)
    .slice(0, headersMax)
    .map(([name, value = '']) => [printableName(name), maskValue(name, value, maskText)]);
}

function maskValue(name: string, value: string, maskText: MaskText): string {
  if (name === 'authorization') {
    const [, scheme] = /^(basic|bearer) /i.exec(value) ?? [];
    return scheme === undefined ? masked : `${scheme} ${masked}`;
  }
  return shown.has(name) ? maskText(value.slice(0, valueMax)) : masked;
}

/** Secrets that a head holds, or empty texts. They are masked wherever else the message has them. */
export function secretsIn(headers: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { authorization = '', 'x-api-key': apiKey = '' } = headers;
  const [, scheme = '', token = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString() : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  return [apiKey, token, pair, password];
}
