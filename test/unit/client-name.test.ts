/** Names of clients: short, printable, and the same for every request of a client. */
import { expect, test } from '@jest/globals';
import { createNameClient } from '../../src/insight/callers/client-name.ts';

const nameOf = (headers: Readonly<Record<string, string | undefined>>, format = 'json') =>
  createNameClient([['vendor-library', 'vendor-library-version']])(headers, format);
const agent = (text: string) => nameOf({ 'user-agent': text });

test.each([
  ['PHP-SOAP/8.2.7', 'PHP-SOAP/8.2.7'],
  ['Zeep/4.2.1 (www.python-zeep.org)', 'Zeep/4.2.1 (www.python-zeep.org)'],
  ['Axis/1.4', 'Axis/1.4'],
  ['Apache-HttpClient/4.5.13 (Java/1.8.0_292)', 'Apache-HttpClient/4.5.13 (Java/1.8.0_292)'],
  ['Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.6099.109', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.6099.109'],
  ['', 'unnamed'],
  [' \t ', 'unnamed'],
])('%s is %s', (text, name) => expect(agent(text)).toBe(name));

test.each([
  ['line breaks', 'a\r\nb\u0000c\u001b[31m\u007f', 'a b c [31m'],
  ['other letters', 'Ünïcode ‮ \u2028x', 'n code x'],
  ['a card number', 'shop 4111 1111 1111 1111', 'shop [digits]'],
  ['a card number without blanks', 'shop/4111111111111111', 'shop/[digits]'],
  ['an identifier', 'okhttp/4.9 session=8c0b6f6e-6a52-4b7e-9d55-2f1d7f7b1c11', 'okhttp/4.9 session=[id]'],
  ['a token', 'x/1 0123456789abcdef0123456789', 'x/1 [id]'],
])('%s', (_, text, name) => expect(agent(text)).toBe(name));

test('a long one is cut', () => {
  expect(agent('word '.repeat(10_000)).length).toBeLessThanOrEqual(100);
  expect(nameOf({ 'x-sdk-name': 'y'.repeat(10_000) }).length).toBeLessThanOrEqual(100);
});

test('libraries name themselves in headers of their own', () => {
  expect(nameOf({ 'user-agent': 'curl/8', 'x-sdk-name': 'shop-sdk', 'x-sdk-version': '2.1' })).toBe(
    'curl/8 shop-sdk/2.1',
  );
  expect(nameOf({ 'vendor-library': 'vendor', 'vendor-library-version': '7' })).toBe('vendor/7');
});

test('SOAP 1.1 clients differ by their SOAPAction, too', () => {
  const style = (soapaction?: string) => nameOf({ 'user-agent': 'x', soapaction }, 'soap11');
  expect([style(), style(''), style('""'), style('"urn:a"'), style('urn:a')]).toEqual([
    'x, SOAPAction absent',
    'x, SOAPAction empty',
    'x, SOAPAction empty',
    'x, SOAPAction quoted',
    'x, SOAPAction unquoted',
  ]);
  expect(nameOf({ 'user-agent': 'x', soapaction: '"a"' }, 'soap12')).toBe('x');
});

test('the names stay right while a caller sends others all the time', () => {
  const name = createNameClient();
  for (let at = 0; at < 5_000; at += 1) expect(name({ 'user-agent': `bot-${at}` }, 'json')).toBe(`bot-${at}`);
  expect(name({ 'user-agent': 'PHP-SOAP/8.2.7' }, 'json')).toBe('PHP-SOAP/8.2.7');
});
