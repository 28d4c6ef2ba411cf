/** JSON: the operation is in the path; errors as `{status, errorCode, message, errorType, pspReference}`. */
import type { Path } from '../../contract/path.ts';
import { operationAddress, type Service } from '../../contract/service.ts';
import { compileCodecs } from '../codec.ts';
import { malformedBody } from '../malformed-body.ts';
import { operationInPath } from '../named-operation.ts';
import type { Protocol } from '../protocol.ts';
import { answered } from '../wire.ts';
import { parse, parseText } from './parse.ts';
import { compilePrint } from './print.ts';
import { reader } from './read.ts';

const contentType = 'application/json;charset=utf-8';

const escapeToken = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** RFC 6901: `/details/0/RecurringDetail/card/number`. */
export const pointer = (path: Path): string =>
  path
    .map((step) => {
      if (typeof step === 'string') return `/${escapeToken(step)}`;
      return step.wrapped ? `/${step.index}/${step.itemName}` : `/${step.index}`;
    })
    .join('');

export const json = (services: readonly Service[]): Protocol => {
  const codecs = compileCodecs(services, reader, compilePrint);
  return Object.freeze<Protocol>({
    name: 'json',
    charsets: ['utf-8', 'utf8'],

    decode(body, _media, target) {
      const operation = operationInPath(target);
      const parsed = parse(body);
      if ('fault' in parsed) throw malformedBody(parsed.fault);
      if (parsed.tree === null) throw malformedBody('null');
      const { value, issues } = codecs.read(operation, 'input', parsed.tree);
      return { operation, input: value, issues };
    },

    encode: (operation, output) => answered(contentType, codecs.print(operation, 'output', output)),

    encodeError(problem, { pspReference }) {
      const { status, code: errorCode, message, type: errorType, issues, headers } = problem;
      const invalidFields = issues.map(({ path, message }) => ({ name: pointer(path), message }));
      const shown = invalidFields.length > 0 ? { invalidFields } : {};
      const body = JSON.stringify({ status, errorCode, message, errorType, ...shown, pspReference });
      return { status, contentType, headers, body };
    },

    encodeRequest: (service, operation, input) => ({
      path: operationAddress(service, operation),
      contentType: 'application/json',
      body: codecs.print(operation, 'input', input),
    }),

    decodeResponse(operation, body) {
      const parsed = parseText(body);
      if ('fault' in parsed) throw malformedBody(parsed.fault);
      return codecs.read(operation, 'output', parsed.tree);
    },
  });
};
