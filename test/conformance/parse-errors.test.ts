/** The text of parse errors: what is wrong, and where, in every format. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

async function textOf(path: string, type: string, body: string | Buffer): Promise<string> {
  const { message } = await gateway.ask({ path, headers: { 'content-type': type, ...callers.demo }, body });
  return message.body;
}

type Row = readonly [text: string, body: string | Buffer];

const own = 'http://recurring.services.adyen.com';
const envelope = 'http://schemas.xmlsoap.org/soap/envelope/';
const fields = '<merchantAccount>DemoMerchant</merchantAccount><shopperReference>nobody</shopperReference>';
const soap = (content: string, uri = envelope) =>
  `<e:Envelope xmlns:e="${uri}"\n  xmlns:o="urn:other">\n <e:Body>\n${content}\n </e:Body>\n</e:Envelope>`;
const disable = (inside: string) => soap(`  <disable xmlns="${own}"><request>\n${inside}</request></disable>`);

const xml: readonly Row[] = [
  ['not well-formed, line 5, column 7', disable('<a></b><c>')],
  ['not well-formed, line 7, column 12', disable(fields).slice(0, -1)],
  ['not well-formed, line 1, column 28', 'merchantAccount=DemoMerchant'],
  ['doctype, line 1, column 12', `<!DOCTYPE a>${disable(fields)}`],
  ['not UTF-8, byte 4', Buffer.from('<a>\n\u00e9</a>', 'latin1')],
  ['wrong namespace, Body', disable(fields).replaceAll('e:Body', 'o:Body')],
  ['wrong namespace, disable', soap('<o:disable/>')],
  ['wrong namespace, disable', soap('<disable><request/></disable>')],
  ['wrong namespace, request', soap(`<disable xmlns="${own}"><o:request/></disable>`)],
  ['contract is in a wrong namespace', disable(`${fields}<o:contract>ONECLICK</o:contract>`)],
  ['name stands twice, merchantAccount', disable(fields + fields)],
];

const offsets: readonly Row[] = [
  ['not JSON, offset 31', '{"merchantAccount":"DemoMerch",}'],
  ['not JSON, offset 0', ''],
  ['not JSON, offset 8', '{"a":1} {'],
  ['not JSON, offset 5', '{"a":+1}'],
  ['not JSON, offset 6', '{"a":"\\x"}'],
  ['unterminated string, offset 5', '{"a":"b'],
  ['duplicate key, offset 7', '{"a":1,"a":2}'],
  ['too deep, offset 16', '['.repeat(17)],
  ['not UTF-8, byte 6', Buffer.from('{"a":"\u00e9"}', 'latin1')],
  ['body is null', 'null'],
];

const pairs: readonly Row[] = [
  ['percent-encoding, pair 2', 'a=1&b=%zz&a=2'],
  ['duplicate key, pair 3', 'a=1&&b=2&%61=3'],
  ['too many pairs, pair 201', Array.from({ length: 201 }, (_, at) => `a${at}=`).join('&')],
  ['not UTF-8, byte 2', Buffer.from('a=\u00e9', 'latin1')],
];

const json = '/pal/servlet/Recurring/v25/disable';

describe('XML', () => {
  test.each(xml)('%s', async (text, body) => {
    expect(await textOf('/pal/servlet/Recurring/v25', 'text/xml', body)).toContain(
      `<faultstring>validation 702 Problem parsing request: ${text}`,
    );
  });

  test('an Envelope in a wrong namespace is one of another version', async () => {
    expect(await textOf('/pal/servlet/Recurring/v25', 'text/xml', soap('', 'urn:envelope'))).toContain(
      '<faultstring>validation 702 Envelope version not understood: wrong namespace, Envelope<',
    );
  });

  test('a place after lines that end as Windows ends them, and after characters of two units', async () => {
    const body = `<e:Envelope xmlns:e="${envelope}">\r\n<!-- 😀 -->\r\n😀 <a`;
    expect(await textOf('/pal/servlet/Recurring/v25', 'text/xml', body)).toContain('line 3, column 4<');
  });
});

describe('JSON', () => {
  test.each(offsets)('%s', async (text, body) => {
    const message = `Problem parsing request: ${text}`;
    expect(JSON.parse(await textOf(json, 'application/json', body))).toMatchObject({ errorCode: '702', message });
  });

  test('with an HTTP binding: the same text', async () => {
    const body = await textOf('/bcl/v2/accountHolders', 'application/json', '{"a":1,}');
    expect(body).toContain('Problem parsing request: not JSON, offset 7');
  });
});

describe('FORM', () => {
  test.each(pairs)('%s', async (text, body) => {
    const answer = new URLSearchParams(await textOf(json, 'application/x-www-form-urlencoded', body));
    expect(answer.get('message')).toBe(`Problem parsing request: ${text}`);
  });

  test('the adapter: the same text', async () => {
    const body = 'action=Recurring.disable&disableRequest.a=%zz';
    expect(await textOf('/pal/adapter/httppost', 'application/x-www-form-urlencoded', body)).toBe(
      'validation 702 Problem parsing request: percent-encoding, pair 2',
    );
  });
});
