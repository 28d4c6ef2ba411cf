/** FORM: dotted pairs at the path of the operation; errors are pairs with `status` last. */
import type { Conventions } from '../../contract/conventions.ts';
import { dotted } from '../../contract/path.ts';
import { namedOperations, operationAddress, type Service } from '../../contract/service.ts';
import { compileCodecs } from '../codec.ts';
import { dateTimeFormat } from '../date-time.ts';
import { requireTree } from '../malformed-body.ts';
import { operationInPath } from '../named-operation.ts';
import type { KeyPlaces, Protocol } from '../protocol.ts';
import { okMessage } from '../wire.ts';
import { parse, parseText, take } from './parse.ts';
import { compilePrint, contentType, encode, mediaType } from './print.ts';
import { reader } from './read.ts';

export function createForm(services: readonly Service[], { formField }: KeyPlaces, conventions: Conventions): Protocol {
  const formatDateTime = dateTimeFormat(conventions.timeZone);
  const codecs = compileCodecs(services, {
    carried: namedOperations,
    reader,
    compilePrint: (schema) => compilePrint(schema, formatDateTime),
  });
  return Object.freeze<Protocol>({
    name: 'form',
    charsets: ['utf-8', 'utf8'],

    decode(body, _media, target) {
      const operation = operationInPath(target);
      const tree = requireTree(parse(body));
      const key = take(tree, formField);
      const { value, issues } = codecs.read(operation, 'input', { body: tree });
      return { operation, input: value, issues, key };
    },

    encode: (operation, output) => okMessage(contentType, codecs.print(operation, 'output', output)),

    encodeError({ status, code, type, message, issues, headers }, { requestReference }) {
      const pairs: [string, string][] = [
        ['errorType', type],
        ['errorCode', code],
        ['message', message],
        ...issues.flatMap(({ path, message }, index): [string, string][] => [
          [`invalidFields.${index}.name`, dotted(path)],
          [`invalidFields.${index}.message`, message],
        ]),
        [conventions.requestReference, requestReference],
        // Old clients look for the ampersand after each of the other pairs, so `status` is the last pair.
        ['status', String(status)],
      ];
      const body = pairs.map(([key, value]) => `${key}=${encode(value)}`).join('&');
      return { status, contentType, headers, body };
    },

    encodeRequest: (service, operation, input) => ({
      path: operationAddress(service, operation),
      contentType: mediaType,
      body: codecs.print(operation, 'input', input),
    }),

    decodeResponse: (operation, body) =>
      codecs.read(operation, 'output', { body: requireTree(parseText(body, Number.POSITIVE_INFINITY)) }),
  });
}
