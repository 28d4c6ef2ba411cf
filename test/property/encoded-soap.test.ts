/** Property: a message of an encoded stub is decoded as the plain message that it stands for. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ownUri, type Service } from '../../src/core/contract/service.ts';
import { printLoose } from '../formats/index.ts';
import { type EncodedStyle, printEncoded, soap11Style, soap12Style } from '../support/encoded-soap.ts';
import { outcomeOf } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { type Loose, loosen } from '../support/lenient.ts';
import { rpcShipmentsV1, shipmentsV1 } from '../support/shipments.ts';
import { treesV1 } from '../support/trees.ts';
import { type Subject, search } from './property.ts';
import { subjects } from './subjects.ts';

const styles = { soap11: soap11Style, soap12: soap12Style } as const;
const envelopes = {
  soap11: 'http://schemas.xmlsoap.org/soap/envelope/',
  soap12: 'http://www.w3.org/2003/05/soap-envelope',
} as const;

type Name = keyof typeof styles;

interface Printed {
  readonly message: string;
  readonly referenced: readonly string[];
}

/** SOAP encoding has neither repeated members nor a text beside attributes. */
const withoutEncoding: ReadonlySet<Service> = new Set<Service>([shipmentsV1, rpcShipmentsV1, treesV1]);
const encodable = subjects.filter(({ service }) => !withoutEncoding.has(service));

describe.each(encodable)('$title', (subject) => {
  test.each(Object.keys(styles) as Name[])('%s', (name) => {
    expect(findFault(subject, name, ({ referenced }) => referenced)).toBeUndefined();
  });

  test('control: an element that is left out outside the message is found', () => {
    expect(findFault({ ...subject, unshrunk: true }, 'soap11', ({ referenced }) => referenced.slice(1))).toContain(
      'undecodable',
    );
  });
});

function findFault(subject: Subject, name: Name, choose: (printed: Printed) => readonly string[]): string | undefined {
  const { protocols, routes, service, operation } = subject;
  return search(fc.tuple(arbitrary(operation.input), fc.infiniteStream(fc.boolean())), subject, ([input, drawn]) => {
    const tree = loosen(operation.input, input);
    const draw = () => drawn.next().value === true;
    const printed = print(subject, tree, { ...styles[name], draw });
    const body = envelopeOf(name, [printed.message, ...choose(printed)].join(''));
    const plain = printLoose(name, service, operation, tree);
    const outcome = JSON.stringify(outcomeOf(protocols, name, { ...plain, body }, routes));
    const expected = JSON.stringify(outcomeOf(protocols, name, plain, routes));
    return outcome === expected ? undefined : `${outcome}\ninstead of\n${expected}\n${body}`;
  });
}

function print({ service, operation }: Subject, tree: Loose, style: EncodedStyle): Printed {
  const { request = 'request' } = operation.elements ?? {};
  const { content, referenced } = printEncoded(service.soapStyle === 'wrapped' ? undefined : request, tree, style);
  const message = `<m:${operation.name} xmlns:m="${ownUri(service)}">${content}</m:${operation.name}>`;
  return { message, referenced };
}

function envelopeOf(name: Name, content: string): string {
  return (
    `<e:Envelope xmlns:e="${envelopes[name]}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
    ` xmlns:xsd="http://www.w3.org/2001/XMLSchema"><e:Body>${content}</e:Body></e:Envelope>`
  );
}
