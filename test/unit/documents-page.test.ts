/** The page for browsers: where it is, what it links to, and that it loads nothing. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createDocuments } from '../../src/documents/documents.ts';
import { services } from '../../src/payments/index.ts';
import { newestRecurring } from '../../src/payments/recurring/versions.ts';

const documents = createDocuments(services);
const newest = `/pal/servlet/Recurring/v${newestRecurring.version}`;
const origin = 'https://pay.example.com';
const page = documents.findPage('/', origin)!;

test.each([
  ['/', true],
  ['/pal/servlet/Recurring/v25', true],
  ['/pal/servlet/Recurring/v12/', true],
  ['/pal/servlet/Recurring/v68/disable', true],
  ['/pal/servlet/soap/Recurring', true],
  ['/pal/adapter/httppost', true],
  ['/bcl/v2', true],
  ['/pal/servlet/Recurring', false],
  ['/pal/servlet/Recurring/v9999', false],
  ['/pal/servlet/Recurring/v25/enable', false],
  ['/pal/servlet/Recurring/v25/disable/x', false],
  ['/bcl/v2/accountHolders', false],
  ['/bcl/v2/createAccountHolder', false],
  ['/pal', false],
  ['', false],
])('%s has it: %s', (path, hasPage) => {
  expect(documents.findPage(path, origin) !== undefined).toBe(hasPage);
});

test('names the console where callers reach it, and nowhere else', () => {
  expect(page.body).not.toContain('console');
  const { body } = createDocuments(services, { console: '/console' }).findPage('/', origin)!;
  expect(body).toContain(`<a class="button" href="${origin}/console">Open the console</a>`);
});

describe('the page', () => {
  const links = [...page.body.matchAll(/href="([^"]*)"/g)].map(([, address]) => address!);

  test('says what each service is and where it answers', () => {
    for (const { name, doc } of services) {
      expect(page.body).toContain(`<h2>${name}</h2><p>${doc}</p>`);
    }
    for (const address of [`${newest}/{operation}`, '/pal/servlet/soap/Recurring', '/pal/adapter/httppost', '/bcl/v2'])
      expect(page.body).toContain(`<code>${origin}${address}</code>`);
    expect(page.body).toContain(`v1 to v${newestRecurring.version}`);
  });

  test('links to the WSDL and the OpenAPI documents, which exist', () => {
    expect(links).toEqual([
      `${origin}${newest}?wsdl`,
      `${origin}${newest}/openapi.json`,
      `${origin}/bcl/v2/openapi.json`,
    ]);
    for (const link of links) {
      const [path = '', query = ''] = link.slice(origin.length).split('?');
      expect(documents.find(path, query, origin)).toBeDefined();
    }
  });

  test('loads and runs nothing, and its policy allows only its own style', () => {
    expect(page.body).not.toMatch(/<(script|link|img|iframe|form|object|base)|\bsrc=|url\(|@import|\son\w+=|style=/i);
    const style = /<style>(.*)<\/style>/.exec(page.body)![1]!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers).toEqual({
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept',
    });
    expect(page.contentType).toBe('text/html; charset=utf-8');
  });

  test('a malicious host cannot inject into it', () => {
    const { body } = documents.findPage('/', `http://a"><script>x</script>&'`)!;
    expect(body).not.toContain('<script');
    expect(body).toContain('http://a&quot;&gt;&lt;script&gt;');
  });

  test('it is the same at every address, and its ETag depends on the origin', () => {
    expect(documents.findPage('/bcl/v2', origin)).toEqual(page);
    expect(documents.findPage('/', 'http://other.example')!.etag).not.toBe(page.etag);
  });
});
