/** The legacy form adapter: one address for all, `action=Recurring.disable`, keys under `disableRequest.`, errors as text. */
import type { Operation } from '../../contract/operation.ts';
import { dotted } from '../../contract/path.ts';
import type { Service } from '../../contract/service.ts';
import { compileCodecs } from '../codec.ts';
import { operationInBody, unknownOperation } from '../named-operation.ts';
import type { KeyPlaces, Protocol } from '../protocol.ts';
import { statusOf } from '../status.ts';
import { textOf } from '../text.ts';
import { answered } from '../wire.ts';
import { contentType, requestType, understood } from './index.ts';
import { type Node, parse, parseText, take } from './parse.ts';
import { compilePrint } from './print.ts';
import { reader } from './read.ts';

/** `DisableRequest` becomes `disableRequest`. */
const prefixOf = ({ name }: Operation['input']): string => name.charAt(0).toLowerCase() + name.slice(1);

const nothing: Node = Object.freeze({ value: undefined, below: new Map() });

const named = (action: string | undefined, service: Service): Operation => {
  const [prefix, name = '', ...rest] = (action ?? '').split('.');
  if (prefix !== service.name || rest.length > 0) throw unknownOperation(service);
  return operationInBody(name, service);
};

const addressOf = ({ name, legacy }: Service): string => {
  if (legacy?.adapter === undefined) throw new TypeError(`${name} has no form adapter`);
  return legacy.adapter;
};

/** What stands under the operation's prefix; anything else but the action is refused like any unknown field. */
const under = (tree: Node, prefix: string): Node => {
  const below = new Map(tree.below.get(prefix)?.below ?? nothing.below);
  for (const [name, node] of tree.below) if (name !== prefix && name !== 'action') below.set(`.${name}`, node);
  return { value: tree.below.get(prefix)?.value, below };
};

/** A stray key is shown as the caller wrote it. */
const coordinates = (prefix: string, key: string): string =>
  key.startsWith('.') ? key.slice(1) : `${prefix}.${key}`.replace(/^\.|\.$/g, '');

export const adapter = (services: readonly Service[], { formField }: KeyPlaces): Protocol => {
  const codecs = compileCodecs(services, reader, (shape) => compilePrint(shape, prefixOf(shape)));
  return Object.freeze<Protocol>({
    name: 'adapter',
    charsets: ['utf-8', 'utf8'],

    decode(body, _media, { service }) {
      const tree = understood(parse(body));
      const key = take(tree, formField);
      const operation = named(tree.below.get('action')?.value, service);
      const { value, issues } = codecs.read(operation, 'input', under(tree, prefixOf(operation.input)));
      return { operation, input: value, issues, key };
    },

    encode: (operation, output) => answered(contentType, codecs.print(operation, 'output', output)),

    encodeError(problem, { operation }) {
      // Clients of this address know 401 by its status; every other refusal is a 500 with a text (wire practice).
      const status = statusOf(problem, 500);
      const prefix = operation === undefined ? '' : prefixOf(operation.input);
      const body = textOf(problem, (path) => coordinates(prefix, dotted(path)));
      return { status, contentType: 'text/plain;charset=utf-8', headers: problem.headers, body };
    },

    encodeRequest: (service, operation, input) => ({
      path: addressOf(service),
      contentType: requestType,
      body: `action=${service.name}.${operation.name}&${codecs.print(operation, 'input', input)}`,
    }),

    decodeResponse: (operation, body) =>
      codecs.read(
        operation,
        'output',
        under(understood(parseText(body, Number.POSITIVE_INFINITY)), prefixOf(operation.output)),
      ),
  });
};
