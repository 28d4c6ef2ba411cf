/** Resources over HTTP: method and path name the operation; JSON bodies; refusals as problem details. */
import type { Buffer } from 'node:buffer';
import { type BoundOperation, isBound, type Operation } from '../../contract/operation.ts';
import { Problem } from '../../contract/problem.ts';
import type { ObjectSchema } from '../../contract/schema.ts';
import { type Service, serviceAddress } from '../../contract/service.ts';
import { parse, parseText } from '../json/parse.ts';
import { malformedBody } from '../malformed-body.ts';
import type { Media, Protocol } from '../protocol.ts';
import { compileEndpoints } from './codec.ts';
import { printDetails } from './details.ts';
import { parseQuery, printHeaders, printQuery, readHeaders } from './head.ts';

const mediaType = 'application/json';
const contentType = `${mediaType};charset=utf-8`;

const nothing = Object.freeze({});

/** Throws where the route named no operation with a binding. */
const asBound = (operation: Operation | undefined): BoundOperation => {
  if (operation === undefined || !isBound(operation)) throw new TypeError('an operation without a binding');
  return operation;
};

const has = (shape: ObjectSchema): boolean => Object.keys(shape.fields).length > 0 || shape.ignoredMembers.length > 0;

const needed = (shape: ObjectSchema): boolean => Object.values(shape.fields).some(({ required }) => required);

/** The tree of a body; an operation without fields in its body reads none. No body at all is an empty object. */
const parseBody = (body: Buffer, { type }: Media, shape: ObjectSchema): unknown => {
  if (!has(shape)) return nothing;
  if (body.length === 0) {
    if (needed(shape)) throw new Problem('emptyRequest');
    return nothing;
  }
  if (type !== mediaType) throw new Problem('unsupportedMedia');
  const parsed = parse(body);
  if ('fault' in parsed) throw malformedBody(parsed.fault);
  if (parsed.tree === null) throw new Problem('emptyRequest');
  // To the reading walk an empty text is an empty object, since forms cannot tell the two apart; JSON can.
  return parsed.tree === '' ? [] : parsed.tree;
};

const printPath = (path: string, value: Readonly<Record<string, unknown>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(value[name])));

export const rest = (services: readonly Service[]): Protocol => {
  const codecOf = compileEndpoints(services);
  return Object.freeze<Protocol>({
    name: 'rest',
    charsets: ['utf-8', 'utf8'],

    decode(body, media, { operation: routed, parameters = nothing }, { query, headers }) {
      const operation = asBound(routed);
      const { input } = codecOf(operation);
      const { value, issues } = input.read({
        path: parameters,
        query: parseQuery(query),
        header: readHeaders(input.parts.header, headers),
        body: parseBody(body, media, input.parts.body),
      });
      return { operation, input: value, issues };
    },

    encode(operation, value) {
      const { output } = codecOf(asBound(operation));
      const headers = printHeaders(output.parts.header, value as Readonly<Record<string, unknown>>);
      return { status: 200, contentType, headers, body: output.printBody(value) };
    },

    encodeError: (problem, { pspReference }) => ({
      status: problem.status,
      contentType,
      headers: problem.headers,
      body: printDetails(problem, pspReference),
    }),

    encodeRequest(service, operation, input) {
      const { method, path } = asBound(operation).http;
      const { parts, printBody } = codecOf(asBound(operation)).input;
      const value = input as Readonly<Record<string, unknown>>;
      const below = printPath(path, value) + printQuery(parts.query, value);
      return {
        method,
        path: serviceAddress(service) + below,
        headers: printHeaders(parts.header, value),
        contentType: mediaType,
        body: has(parts.body) ? printBody(value) : '',
      };
    },

    decodeResponse(operation, body) {
      const parsed = parseText(body);
      if ('fault' in parsed) throw malformedBody(parsed.fault);
      return codecOf(asBound(operation)).output.readBody(parsed.tree);
    },
  });
};
