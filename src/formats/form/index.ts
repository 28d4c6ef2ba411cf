/** FORM: unprefixed dotted pairs at the operation's path; errors as pairs with `status` last. */
import { dotted } from '../../contract/path.ts';
import { operationAddress, type Service } from '../../contract/service.ts';
import { compileCodecs } from '../codec.ts';
import { malformedBody } from '../malformed-body.ts';
import { operationInPath } from '../named-operation.ts';
import type { KeyPlaces, Protocol } from '../protocol.ts';
import { answered } from '../wire.ts';
import { type Node, type Parsed, parse, parseText, take } from './parse.ts';
import { compilePrint, encode } from './print.ts';
import { reader } from './read.ts';

export const requestType = 'application/x-www-form-urlencoded';
export const contentType = `${requestType};charset=utf-8`;

export const understood = (parsed: Parsed): Node => {
  if ('tree' in parsed) return parsed.tree;
  throw malformedBody(parsed.fault);
};

export const form = (services: readonly Service[], { formField }: KeyPlaces): Protocol => {
  const codecs = compileCodecs(services, reader, (shape) => compilePrint(shape));
  return Object.freeze<Protocol>({
    name: 'form',
    charsets: ['utf-8', 'utf8'],

    decode(body, _media, target) {
      const operation = operationInPath(target);
      const tree = understood(parse(body));
      const key = take(tree, formField);
      const { value, issues } = codecs.read(operation, 'input', tree);
      return { operation, input: value, issues, key };
    },

    encode: (operation, output) => answered(contentType, codecs.print(operation, 'output', output)),

    encodeError({ status, code, type, message, issues, headers }, { pspReference }) {
      const pairs: [string, string][] = [
        ['errorType', type],
        ['errorCode', code],
        ['message', message],
        ...issues.flatMap(({ path, message }, index): [string, string][] => [
          [`invalidFields.${index}.name`, dotted(path)],
          [`invalidFields.${index}.message`, message],
        ]),
        ['pspReference', pspReference],
        // Old clients find the pairs before it by the ampersand that follows them.
        ['status', String(status)],
      ];
      const body = pairs.map(([key, value]) => `${key}=${encode(value)}`).join('&');
      return { status, contentType, headers, body };
    },

    encodeRequest: (service, operation, input) => ({
      path: operationAddress(service, operation),
      contentType: requestType,
      body: codecs.print(operation, 'input', input),
    }),

    decodeResponse: (operation, body) =>
      codecs.read(operation, 'output', understood(parseText(body, Number.POSITIVE_INFINITY))),
  });
};
