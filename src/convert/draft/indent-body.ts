/** Indents the body of a message, without a change of what it says. */
import type { ProtocolName } from '../../formats/index.ts';
import { indentJson } from '../../formats/json/tokens.ts';
import { indentXml } from '../../lib/xml/indent.ts';

export function indentBody(body: string, format: ProtocolName): string {
  switch (format) {
    case 'soap11':
    case 'soap12':
      return indentXml(body);
    case 'json':
    case 'rest':
      return indentJson(body);
    case 'form':
    case 'adapter':
      return body;
    default:
      return format satisfies never;
  }
}
