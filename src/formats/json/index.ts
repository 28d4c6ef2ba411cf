/** JSON: the path names the operation; errors are `{status, errorCode, message, errorType}` and the reference of the request. */
import type { Conventions } from '../../contract/conventions.ts';
import type { Path } from '../../contract/path.ts';
import { namedOperations, operationAddress, type Service } from '../../contract/service.ts';
import { compileCodecs } from '../codec.ts';
import { dateTimeFormat } from '../date-time.ts';
import { malformedBody, requireTree } from '../malformed-body.ts';
import { operationInPath } from '../named-operation.ts';
import type { Protocol } from '../protocol.ts';
import { okMessage } from '../wire.ts';
import { parse, parseText } from './parse.ts';
import { compilePrint } from './print.ts';
import { reader } from './read.ts';

const contentType = 'application/json;charset=utf-8';

export function createJson(services: readonly Service[], conventions: Conventions): Protocol {
  const formatDateTime = dateTimeFormat(conventions.timeZone);
  const codecs = compileCodecs(services, {
    carried: namedOperations,
    reader,
    compilePrint: (schema) => compilePrint(schema, formatDateTime),
  });
  return Object.freeze<Protocol>({
    name: 'json',
    charsets: ['utf-8', 'utf8'],

    decode(body, _media, target) {
      const operation = operationInPath(target);
      const tree = requireTree(parse(body));
      if (tree === null) throw malformedBody('null');
      const { value, issues } = codecs.read(operation, 'input', { body: tree });
      return { operation, input: value, issues };
    },

    encode: (operation, output) => okMessage(contentType, codecs.print(operation, 'output', output)),

    encodeError(problem, { requestReference }) {
      const { status, code: errorCode, message, type: errorType, issues, headers } = problem;
      const invalidFields = issues.map(({ path, message }) => ({ name: pointer(path), message }));
      const fields = invalidFields.length > 0 ? { invalidFields } : {};
      const reference = { [conventions.requestReference]: requestReference };
      const body = JSON.stringify({ status, errorCode, message, errorType, ...fields, ...reference });
      return { status, contentType, headers, body };
    },

    encodeRequest: (service, operation, input) => ({
      path: operationAddress(service, operation),
      contentType: 'application/json',
      body: codecs.print(operation, 'input', input),
    }),

    decodeResponse: (operation, body) => codecs.read(operation, 'output', { body: requireTree(parseText(body)) }),
  });
}

/** RFC 6901: `/details/0/RecurringDetail/card/number`. */
function pointer(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'string') return `/${escapeToken(step)}`;
      return step.wrapped ? `/${step.index}/${step.itemName}` : `/${step.index}`;
    })
    .join('');
}

function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
