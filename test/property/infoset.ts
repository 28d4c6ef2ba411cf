/** Property: a SOAP message has the infoset of one that declares the namespace of each element on the element itself. */
import type { Side } from '../../src/documents/json-schema.ts';
import { envelopes, printExplicitly } from '../formats/explicit-namespaces.ts';
import { arbitrary } from '../support/generate.ts';
import { infosetOf } from '../support/infoset.ts';
import { namesOf, type Property, type Subject, search } from './property.ts';

export const infosetIsOfTheContract: Property = (subject) =>
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
