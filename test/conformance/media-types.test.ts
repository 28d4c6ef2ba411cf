/** Media types of old and sloppy clients: how their bodies are identified, and in which format they are answered. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { fault11, fault12, R } from './case.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const service = '/pal/servlet/Recurring/v25';
const list = `${service}/listRecurringDetails`;
const legacy = '/pal/servlet/soap/Recurring';
const adapter = '/pal/adapter/httppost';
const uris = {
  soap11: 'http://schemas.xmlsoap.org/soap/envelope/',
  soap12: 'http://www.w3.org/2003/05/soap-envelope',
} as const;
const types = { soap11: 'text/xml;charset=utf-8', soap12: 'application/soap+xml;charset=utf-8' } as const;

const soap = (name: keyof typeof uris, fields = '<merchantAccount>DemoMerchant</merchantAccount>') =>
  `<e:Envelope xmlns:e="${uris[name]}"><e:Body><listRecurringDetails${R}><request>${fields}` +
  '<shopperReference>nobody</shopperReference></request></listRecurringDetails></e:Body></e:Envelope>';
const json = '{"merchantAccount":"DemoMerchant","shopperReference":"nobody"}';
const form = 'merchantAccount=DemoMerchant&shopperReference=nobody';
const adapted =
  'action=Recurring.listRecurringDetails&recurringDetailsRequest.merchantAccount=DemoMerchant' +
  '&recurringDetailsRequest.shopperReference=nobody';

const post = (path: string, type: string | undefined, body: string | Buffer, who: object = callers.demo) =>
  gateway.ask({ path, headers: { 'content-type': type, ...who }, body });

describe('the envelope decides the version of SOAP', () => {
  const names = ['soap11', 'soap12'] as const;
  const sent = ['text/xml', 'application/xml', 'application/soap+xml', undefined, ''];
  const rows = names.flatMap((name) =>
    sent.flatMap((type) => [service, legacy].map((path) => [name, type, path] as const)),
  );

  test.each(rows)('%s as %s at %s', async (name, type, path) => {
    const { message, entry } = await post(path, type, soap(name));
    expect([entry.protocol, message.status, message.contentType]).toEqual([name, 200, types[name]]);
    expect(message.body).toContain(`="${uris[name]}"`);
  });

  test.each(rows)('%s as %s at %s, refused', async (name, type, path) => {
    const { message, entry } = await post(path, type, soap(name, ''));
    expect([entry.protocol, entry.outcome, message.contentType]).toEqual([name, 'invalidMerchantAccount', types[name]]);
    const text = 'validation 901 Invalid Merchant Account';
    const place = '/Envelope/Body/listRecurringDetails/request/merchantAccount';
    const fields = [[place, 'Invalid Merchant Account: 1 to 80 characters']] as const;
    expect(message.body).toBe(name === 'soap11' ? fault11(text, 'Server', fields) : fault12(text, 'Sender', fields));
  });

  test('an unknown version is refused in that of the media type', async () => {
    const body = soap('soap11').replace(uris.soap11, 'urn:envelope');
    const eleven = await post(service, 'text/xml', body);
    expect(eleven.message.body).toBe(
      fault11('validation 702 Envelope version not understood: wrong namespace, Envelope', 'VersionMismatch'),
    );
    const twelve = await post(service, 'application/soap+xml', body);
    expect(twelve.message.body).toBe(
      fault12('validation 702 Envelope version not understood: wrong namespace, Envelope', 'VersionMismatch'),
    );
  });

  test('what comes before the envelope is read is answered in that of the media type', async () => {
    const { message, entry } = await post(service, 'text/xml', soap('soap12'), callers.anonymous);
    expect([entry.protocol, message.status]).toEqual(['soap11', 401]);
  });
});

describe('without a media type, the first byte tells the format', () => {
  const utf16 = Buffer.from(`\ufeff${soap('soap11')}`, 'utf16le');
  const read = [
    ['JSON', list, json, 'json'],
    ['JSON behind blanks', list, `\r\n\t ${json}`, 'json'],
    ['JSON behind a byte order mark', list, `\ufeff${json}`, 'json'],
    ['a form', list, form, 'form'],
    ['a form that begins with an escape', list, form.replace('m', '%6D'), 'form'],
    ['SOAP at the path of the operation', list, soap('soap11'), 'soap11'],
    ['SOAP behind a byte order mark', service, `\ufeff${soap('soap11')}`, 'soap11'],
    ['SOAP in UTF-16', service, utf16, 'soap11'],
    ['SOAP with a declaration', legacy, `<?xml version="1.0"?>${soap('soap12')}`, 'soap12'],
    ['a form for the adapter', adapter, adapted, 'adapter'],
  ] as const;
  test.each(read)('%s', async (_, path, body, protocol) => {
    const { message, entry } = await post(path, undefined, body);
    expect([entry.protocol, message.status]).toEqual([protocol, 200]);
  });

  test.each([
    ['truncated JSON', list, '{"merchantAccount"', 'json', 'undecodable'],
    ['a list', list, '[]', 'json', 'structure'],
    ['XML that is no envelope', list, '<a/>', 'soap11', 'undecodable'],
    ['a form where the path names no operation', service, form, 'form', 'unknownOperation'],
  ] as const)('refused in its format: %s', async (_, path, body, protocol, problem) => {
    const { entry } = await post(path, undefined, body);
    expect([entry.protocol, entry.outcome]).toEqual([protocol, problem]);
  });

  const choices = 'text/xml, application/soap+xml, application/json or application/x-www-form-urlencoded';
  test.each([
    ['no body', list, '', choices],
    ['blanks', list, '  ', choices],
    ['bytes', list, '\0\x01', choices],
    ['bytes where only SOAP is served', service, '\0', 'text/xml or application/soap+xml'],
    ['JSON for the adapter', adapter, json, 'application/x-www-form-urlencoded'],
    ['SOAP for the adapter', adapter, soap('soap11'), 'application/x-www-form-urlencoded'],
  ])('not identified: %s', async (_, path, body, choices) => {
    const { message, entry } = await post(path, undefined, body);
    expect([message.status, entry.outcome]).toEqual([415, 'unsupportedMedia']);
    expect(message.body).toContain(`Unsupported media type: send Content-Type ${choices}`);
    expect(message.headers.Accept).toBe(choices.replace(' or ', ', '));
  });

  test('the caller is authenticated before the body is read', async () => {
    const { message } = await post(list, undefined, json, callers.wrong);
    expect(message.status).toBe(401);
  });

  test('resources with an HTTP binding need it where there is a body', async () => {
    const refused = await post('/bcl/v2/accountHolders', undefined, '{"legalEntityId":"LE1"}', callers.platform);
    expect(JSON.parse(refused.message.body)).toMatchObject({
      status: 415,
      detail: 'Unsupported media type: send Content-Type application/json',
    });
  });
});

describe('the refusal says what to send', () => {
  test.each([
    ['text/plain', list, json, 'Content-Type text/xml, application/soap+xml, application/json or application/x-www'],
    ['text/plain', service, json, 'Content-Type text/xml or application/soap+xml'],
    ['application/json', adapter, json, 'Content-Type application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x', list, form, 'Content-Type text/xml'],
    ['application/json; charset=utf-7', list, json, 'charset utf-8, iso-8859-1, windows-1252 or us-ascii'],
    [
      'application/soap+xml; charset=utf-32',
      service,
      '',
      'charset utf-8, iso-8859-1, windows-1252, us-ascii or utf-16',
    ],
    ['text/xml', service, '<?xml version="1.0" encoding="EBCDIC"?><a/>', 'encoding utf-8, iso-8859-1, windows-1252'],
  ])('%s at %s', async (type, path, body, choices) => {
    const { message } = await post(path, type, body);
    expect(message.status).toBe(415);
    expect(message.body.replaceAll('+', ' ').replaceAll('%2F', '/')).toContain(
      `Unsupported media type: send ${choices}`.replaceAll('+', ' '),
    );
  });
});

describe('multipart/related', () => {
  const mtom = (name: keyof typeof uris, more = '') =>
    `--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="${types[name].split(';')[0]}"\r\n\r\n` +
    `${soap(name)}\r\n${more}--b--\r\n`;
  const header = (name: keyof typeof uris) =>
    `multipart/related; type="application/xop+xml"; start-info="${types[name].split(';')[0]}"; boundary="b"`;

  test.each(['soap11', 'soap12'] as const)('one part in %s is read, and answered without parts', async (name) => {
    const { message, entry } = await post(service, header(name), mtom(name));
    expect([entry.protocol, message.status, message.contentType]).toEqual([name, 200, types[name]]);
  });

  test('an envelope in the charset of its part', async () => {
    const reference = 'Zo\xeb';
    const body = Buffer.from(mtom('soap11').replace('UTF-8', 'ISO-8859-1').replace('nobody', reference), 'latin1');
    const { message } = await post(service, header('soap11'), body);
    expect(message.status).toBe(200);
    const wrong = Buffer.from(mtom('soap11').replace('nobody', reference), 'latin1');
    expect((await post(service, header('soap11'), wrong)).entry.outcome).toBe('unreadable');
  });

  test('an attachment that no field has is refused, and the refusal says so', async () => {
    const attachment = '--b\r\nContent-Type: image/png\r\n\r\nx\r\n';
    const { message, entry } = await post(service, header('soap11'), mtom('soap11', attachment));
    expect([entry.protocol, entry.outcome, message.status]).toEqual(['soap11', 'undecodable', 500]);
    expect(message.body).toContain('attachment without a reference to it');
  });

  test('a reference to an attachment is refused', async () => {
    const include = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a"/>';
    const body = mtom('soap11').replace('>nobody<', `>${include}<`);
    expect((await post(service, header('soap11'), body)).entry.outcome).toBe('undecodable');
  });

  test('resources and the adapter do not read it', async () => {
    expect((await post(adapter, header('soap11'), mtom('soap11'))).message.status).toBe(415);
    const { message } = await post('/bcl/v2/accountHolders', header('soap11'), mtom('soap11'), callers.platform);
    expect(message.status).toBe(415);
  });
});
