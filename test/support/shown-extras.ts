/** What a caller reads of the members that an answer has beside its contract. */

import { XMLParser } from 'fast-xml-parser';
import type { ExtraMember, Extras } from '../../src/core/contract/extras.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { ProtocolName, Protocols } from '../../src/core/formats/wire-formats.ts';

/** Encodes an answer, and reads the list of such members in its text as a client would. Empty where it has none. */
export function shownExtras(
  protocols: Protocols,
  name: ProtocolName,
  operation: Operation,
  value: unknown,
  extras: Extras | undefined,
): readonly ExtraMember[] {
  const { body } = protocols[name].encode(operation, value, extras);
  if (name === 'json') return (JSON.parse(body) as { unknownMembers?: readonly ExtraMember[] }).unknownMembers ?? [];
  if (name === 'soap11' || name === 'soap12') return inHeader(body);
  const pairs = new URLSearchParams(body);
  const members: ExtraMember[] = [];
  for (let at = 0; pairs.has(`unknownMembers.${at}.name`); at += 1)
    members.push({
      name: pairs.get(`unknownMembers.${at}.name`) ?? '',
      value: pairs.get(`unknownMembers.${at}.value`) ?? '',
    });
  return members;
}

interface Parsed {
  readonly Envelope?: { readonly Header?: { readonly unknownMembers?: { readonly member: readonly ExtraMember[] } } };
}

function inHeader(body: string): readonly ExtraMember[] {
  const parser = new XMLParser({
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => name === 'member',
  });
  const parsed = parser.parse(body) as Parsed;
  return parsed.Envelope?.Header?.unknownMembers?.member ?? [];
}
