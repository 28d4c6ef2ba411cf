/** The infoset of SOAP messages: of generated ones, and of the answers in the conformance cases. */
import { describe, expect, test } from '@jest/globals';
import type { Protocol } from '../../src/core/formats/protocol.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Side } from '../../src/documents/json-schema.ts';
import { services } from '../../src/payments/index.ts';
import { operationOf } from '../conformance/subject.ts';
import { conformanceSubjects } from '../conformance/subjects.ts';
import { envelopes, printExplicitly } from '../formats/explicit-namespaces.ts';
import { arbitrary } from '../support/generate.ts';
import { infosetOf } from '../support/infoset.ts';
import { namesOf, type Property, type Subject, search } from './property.ts';
import { subjects } from './subjects.ts';

const infosetIsOfTheContract: Property = (subject) =>
  check(subject, 'output', (name, output) => subject.protocols[name].encode(subject.operation, output).body) ??
  check(
    subject,
    'input',
    (name, input) => subject.protocols[name].encodeRequest(subject.service, subject.operation, input).body,
  );

type SoapName = keyof typeof envelopes;

function check(subject: Subject, side: Side, print: (name: SoapName, value: unknown) => string): string | undefined {
  const { service, operation } = subject;
  const names = namesOf(subject).filter((name): name is SoapName => name in envelopes);
  return search(arbitrary(operation[side]), subject, (value) => {
    let first: string | undefined;
    for (const name of names) {
      const body = print(name, value);
      // A message that differs from the one before in the namespace of its envelope alone has its infoset but for that.
      if (first !== undefined && body === first.replace(envelopes.soap11, envelopes.soap12)) continue;
      first = body;
      const explicit = printExplicitly(name, service, { operation, side }, value);
      if (infosetOf(body) !== infosetOf(explicit))
        return `${name}: the infoset of\n${body}\nis not that of\n${explicit}`;
    }
    return undefined;
  });
}

const names = ['soap11', 'soap12'] as const;
const given = conformanceSubjects.flatMap((subject) =>
  subject.cases.flatMap((each) => {
    const { title, outcome, wire } = each;
    const { service } = subject;
    const operation = operationOf(subject, each);
    return 'gives' in outcome ? [{ title, service, operation, wire, output: outcome.gives }] : [];
  }),
);

test.each(subjects)('$title: generated messages', (subject) => {
  expect(infosetIsOfTheContract(subject)).toBeUndefined();
});

describe.each(names)('%s', (name) => {
  test.each(given)('the answer of the case $operation.name: $title', ({ service, operation, wire, output }) => {
    const explicit = printExplicitly(name, service, { operation, side: 'output' }, output);
    expect(infosetOf(wire[name].answers)).toBe(infosetOf(explicit));
  });
});

/** Each changes the infoset of some message. */
const defects: Readonly<Record<string, (body: string) => string>> = {
  'declares a wrong namespace for a prefix': (body) =>
    body.replace('xmlns:ns2="http://payment.', 'xmlns:ns2="http://common.'),
  'leaves a prefix out': (body) => body.replace(/(<\/?)ns2:/g, '$1'),
  'leaves the default namespace out': (body) => body.replace(/ xmlns="[^"]*"/, ''),
  'leaves xsi:type out': (body) => body.replace(' xsi:type="xsd:string"', ''),
  'leaves xsi:nil out': (body) => body.replace(' xsi:nil="true"', ''),
  'leaves nil elements out': (body) => body.replace(/<[\w:]+ xsi:nil="true"\/>/g, ''),
  'changes a text': (body) => body.replace(/>([^<>])/, '>x$1'),
};

describe.each(names)('a defect in %s', (name) => {
  test.each(Object.entries(defects))('that %s', (_, change) => {
    const sound = createProtocols(services);
    const protocol: Protocol = {
      ...sound[name],
      encode(operation, output) {
        const message = sound[name].encode(operation, output);
        return { ...message, body: change(message.body) };
      },
    };
    const listing = subjects.findLast(({ operation }) => operation.name === 'listRecurringDetails')!;
    const subject = { ...listing, protocols: { ...sound, [name]: protocol }, unshrunk: true as const };
    expect(infosetIsOfTheContract(subject)).toContain(`${name}: the infoset`);
  });
});

test.each(names)('the envelope of %s', (name) => {
  expect(infosetOf(given[0]!.wire[name].answers)).toContain(`<{${envelopes[name]}}Envelope>`);
});
