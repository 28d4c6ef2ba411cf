/** SOAP 1.1 and 1.2, as tests know them. */
import { ownUri, type Service, serviceAddress } from '../../src/core/contract/service.ts';
import { parse } from '../../src/core/xml/parse.ts';
import { encodeIn } from '../support/charsets.ts';
import { worstXml } from '../support/largest-messages.ts';
import { type Loose, splitAttributes } from '../support/lenient.ts';
import { firstInvalid } from '../support/xmllint.ts';
import type { TestFormat } from './format.ts';

export const soap11 = createFormat('http://schemas.xmlsoap.org/soap/envelope/', 'soap', {
  contentType: 'text/xml; charset=utf-8',
  answerType: 'text/xml;charset=utf-8',
  status422: 500,
  problemText: (body) => /<faultstring>(.*)<\/faultstring>/s.exec(body)?.[1],
});

export const soap12 = createFormat('http://www.w3.org/2003/05/soap-envelope', 'env', {
  contentType: 'application/soap+xml; charset=utf-8; action=""',
  answerType: 'application/soap+xml;charset=utf-8',
  status422: 400,
  problemText: (body) => /<env:Text[^>]*>(.*)<\/env:Text>/s.exec(body)?.[1],
});

type Differences = Pick<TestFormat, 'contentType' | 'answerType' | 'status422' | 'problemText'>;

/** `prefix`: that of the envelope in messages of the gateway. */
function createFormat(envelope: string, prefix: string, differences: Differences): TestFormat {
  return {
    ...differences,
    precisionMs: 1,
    encodeText: (charset, text) =>
      encodeIn(charset, text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
    cardValues: /(?<=<(?:number|cvc)>)[^<]*(?=<)/g,
    meaning: meaningOf,
    spell: spellXml,
    charsets: { hasByteOrderMark: true, isUtf16: true },
    path: (service) => serviceAddress(service),
    print: (service, { name: called, elements: { input: name = called, request } = {} }, tree) =>
      `<e:Envelope xmlns:e="${envelope}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body>` +
      `<r:${name} xmlns:r="${ownUri(service)}"${around(service, tree)}>${messageOf(service, tree, request)}</r:${name}></e:Body></e:Envelope>`,
    withKey(body, key) {
      const id = `<a:MessageID xmlns:a="http://www.w3.org/2005/08/addressing">${key}</a:MessageID>`;
      return body.replace(`<${prefix}:Body>`, `<${prefix}:Header>${id}</${prefix}:Header><${prefix}:Body>`);
    },
    readRefusal: ({ body }) => ({
      text: meaningOf(/<(faultstring|env:Text)[^>]*>(.*?)<\/\1>/s.exec(body)?.[2]),
      messages: Array.from(body.matchAll(/<f:message>(.*?)<\/f:message>/gs), ([, text]) => meaningOf(text)),
    }),
    findInvalid: (service, _operation, _side, bodies) => firstInvalid(service, bodies),
    largestBodies: (service, operation) => worstXml(envelope, ownUri(service), operation),
  };
}

function meaningOf(text = ''): string {
  return parse(`<a>${text}</a>`).text;
}

function messageOf({ soapStyle = 'request-result' }: Service, tree: Loose, request = 'request'): string {
  return soapStyle === 'request-result' ? elementOf(request, tree) : contentOf(tree);
}

/** The attributes of an input that is the element of the operation. */
function around({ soapStyle = 'request-result' }: Service, tree: Loose): string {
  return soapStyle === 'request-result' ? '' : splitAttributes(tree).attributes;
}

function elementOf(name: string, node: Loose): string {
  if (node.kind === 'list' && node.repeated) return contentOf(node);
  if (node.kind === 'nothing') return `<r:${name} xsi:nil="true"/>`;
  return `<r:${name}${splitAttributes(node).attributes}>${contentOf(node)}</r:${name}>`;
}

function contentOf(node: Loose): string {
  switch (node.kind) {
    case 'text':
      return escapeText(node.text);
    case 'nothing':
      return '';
    case 'object':
      return splitAttributes(node)
        .elements.map(({ name, node, isText }) =>
          isText && node.kind === 'text' ? contentOf(node) : elementOf(name, node),
        )
        .join('');
    case 'map':
      return node.members
        .map(({ name, node }) => `<r:entry><r:key>${escapeText(name)}</r:key>${elementOf('value', node)}</r:entry>`)
        .join('');
    case 'list':
      return node.items.map((item) => elementOf(node.itemName, item)).join('');
    default:
      return node satisfies never;
  }
}

function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&#xD;');
}

function spellXml(text: string, turn: () => number): string {
  return text.replace(/>([^<&]+)</g, (_, content: string) => {
    const spelt = [...content].map((sign) => {
      const code = sign.codePointAt(0) ?? 0;
      const ways = [sign, `&#${code};`, `&#x${code.toString(16)};`, `<![CDATA[${sign}]]>`, `<!-- 4 -->${sign}`];
      return ways[turn() % ways.length];
    });
    return `>${spelt.join('')}<`;
  });
}
