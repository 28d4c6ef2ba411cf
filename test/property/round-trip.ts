/** Round trip: what is printed is read again as it was, both ways, by the client's half and by ours. */
import type { Schema } from '../../src/contract/schema.ts';
import { outcomeOf } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { type Law, namesOf, precisionMs, search } from './property.ts';

/** The value as a protocol of that precision keeps it: moments lose what is below it. */
const rounded = (shape: Schema, value: unknown, ms: number): unknown => {
  switch (shape.kind) {
    case 'dateTime':
      return Math.floor((value as number) / ms) * ms;
    case 'list':
      return (value as unknown[]).map((item) => rounded(shape.item, item, ms));
    case 'object': {
      const entries = Object.entries(value as Record<string, unknown>);
      return Object.fromEntries(entries.map(([name, each]) => [name, rounded(shape.fields[name]!.schema, each, ms)]));
    }
    default:
      return value;
  }
};

const differ = (what: string, sent: string, wire: string, read: string) =>
  sent === read ? undefined : `${what} was\n  ${sent}\nand is read as\n  ${read}\nfrom\n  ${wire}`;

export const requestsReturn: Law = (trial) => {
  const { protocols, service, operation } = trial;
  return search(arbitrary(operation.input), trial, (input) => {
    for (const name of namesOf(protocols)) {
      const call = protocols[name].encodeRequest(service, operation, input);
      const expected = {
        operation: operation.name,
        input: JSON.stringify(rounded(operation.input, input, precisionMs[name])),
      };
      const read = JSON.stringify(outcomeOf(protocols, name, call));
      const complaint = differ(`${name}: the request`, JSON.stringify(expected), call.body, read);
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  });
};

export const answersReturn: Law = (trial) => {
  const { protocols, operation } = trial;
  return search(arbitrary(operation.output), trial, (output) => {
    for (const name of namesOf(protocols)) {
      const { body } = protocols[name].encode(operation, output);
      const heard = protocols[name].decodeResponse(operation, body);
      const expected = { value: rounded(operation.output, output, precisionMs[name]), issues: [] };
      const complaint = differ(`${name}: the answer`, JSON.stringify(expected), body, JSON.stringify(heard));
      if (complaint !== undefined) return complaint;
      if (protocols[name].encode(operation, output).body !== body) return `${name}: printed twice, printed differently`;
    }
    return undefined;
  });
};

/** Any two protocols make the same canonical input of the same value. */
export const protocolsAgree: Law = (trial) => {
  const { protocols, service, operation } = trial;
  return search(arbitrary(operation.input), trial, (input) => {
    const [first, ...others] = namesOf(protocols).map((name) => {
      const call = protocols[name].encodeRequest(service, operation, input);
      return { name, outcome: JSON.stringify(outcomeOf(protocols, name, call)) };
    });
    const odd = others.find(({ outcome }) => outcome !== first!.outcome);
    return odd && `${first!.name} reads\n  ${first!.outcome}\nand ${odd.name}\n  ${odd.outcome}`;
  });
};
