/** Tests the converter with messages of imported services: declared faults, attachments and decimals. */
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Conversion } from '../../src/convert/conversion.ts';
import { type Convert, createConverter } from '../../src/convert/convert.ts';
import { importWsdl } from '../support/import-wsdl.ts';

const formats = ['json', 'form', 'soap11', 'soap12'] as const;

let convert: Convert;
beforeAll(async () => {
  const { service } = await importWsdl(join(import.meta.dirname, '../wsdl/fleet.wsdl'), { allowNetwork: false });
  convert = createConverter([service]);
});

const soap = (content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`;
const fault = (detail: string) =>
  'HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/xml\r\n\r\n' +
  soap(`<s:Fault><faultcode>s:Client</faultcode><faultstring>No such vehicle</faultstring>${detail}</s:Fault>`);
const declared =
  '<detail><q:UnknownVehicle xmlns:q="http://schemas.datacontract.org/2004/07/Fleet"><q:Id>7</q:Id></q:UnknownVehicle></detail>';

function textIn({ messages }: Conversion, format: (typeof formats)[number]): string {
  const { status, headers, body } = messages[format]!;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${body}`;
}

test('a declared fault keeps its data in every format and back', () => {
  const first = convert({ message: fault(declared), to: formats });
  expect(first.canonical).toMatchObject({ message: 'No such vehicle', fault: { UnknownVehicle: { Id: '7' } } });
  expect(first.messages.json?.body).toContain('"fault":{"UnknownVehicle":{"Id":"7"}}');
  expect(first.messages.form?.body).toContain('fault.UnknownVehicle.Id=7');
  for (const format of formats) {
    const again = convert({ message: textIn(first, format), to: [] });
    expect([format, again.canonical]).toEqual([
      format,
      expect.objectContaining({ message: 'No such vehicle', fault: { UnknownVehicle: { Id: '7' } } }),
    ]);
  }
});

test('a fault without data has none, and no code that nobody gave it', () => {
  const { canonical, messages } = convert({ message: fault(''), to: ['soap12'] });
  expect(canonical).not.toHaveProperty('fault');
  expect(messages.soap12?.body).toContain('>No such vehicle<');
});

test('a detail that the contract does not have is shown as it is, and not where members are masked', () => {
  const message = fault('<detail><o:Other xmlns:o="urn:other">secret</o:Other></detail>');
  expect(convert({ message, to: ['soap12'] }).messages.soap12?.body).toContain('secret');
  expect(convert({ message, to: ['soap12'], mask: true }).messages.soap12?.body).not.toContain('secret');
});

test('bytes of an attachment are no change of the message', () => {
  const part = (head: string, content: string) => `--b\r\n${head}\r\n\r\n${content}\r\n`;
  const include = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:p1"/>';
  const body = soap(
    `<Annotate xmlns="http://tempuri.org/"><id>1</id><note>hello</note><photo>${include}</photo></Annotate>`,
  );
  const message =
    'POST /FleetService.svc/v1 HTTP/1.1\r\n' +
    'Content-Type: multipart/related; type="application/xop+xml"; start="<r>"; start-info="text/xml"; boundary=b\r\n\r\n' +
    `${part('Content-Type: application/xop+xml; type="text/xml"\r\nContent-ID: <r>', body)}${part('Content-ID: <p1>', 'PNG')}--b--\r\n`;
  const { canonical, coercions } = convert({ message, to: [] });
  expect(canonical).toMatchObject({ photo: 'UE5H' });
  expect(coercions).toEqual([]);
});

test.each([
  ['2.5', []],
  ['2.50', ['normalForm']],
])('the decimal %s in JSON changes as its digits do, and is no text that was a number', (load, changes) => {
  const message = `{"vehicle":{"xsiType":"Truck","Load":${load}}}`;
  const { coercions } = convert({ message, operation: 'Register', to: ['json'] });
  expect(coercions.flatMap((each) => each.changes)).toEqual(changes);
});

test('a number in a text field is such a change: the control', () => {
  const { coercions } = convert({ message: '{"id":7}', operation: 'GetVehicle', to: ['json'] });
  expect(coercions.flatMap((each) => each.changes)).toEqual(['numberToText']);
});
