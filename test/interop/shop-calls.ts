/** Calls a shop through the gateway in each format, and compares what comes back with what each server answers. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compare, type Flat, type Format, flatten, transientFault } from './depot-calls.ts';
import type { LiveServer } from './live-server.ts';
import type { ShopStack } from './shop-stacks.ts';

const execute = promisify(execFile);

interface Case {
  readonly title: string;
  readonly operation: string;
  /** By name, in FORM and SOAP. Bytes are `{ base64 }`. */
  readonly input: unknown;
  /** At its own path, in JSON. */
  readonly own: { readonly method?: string; readonly path: string; readonly headers?: Flat; readonly body?: unknown };
  readonly expected: Flat;
  /** The call is sent twice with this key, and both answers are the same. */
  readonly key?: string;
}

const text = 'Zoë <&> "Ω"';
const big = Number.MAX_SAFE_INTEGER;
const photo = Buffer.from([0xff, 0, 0x0d, 0x0a, 1]);
const photoForm = new FormData();
photoForm.set('caption', text);
photoForm.set('photo', new Blob([photo]), 'photo.png');
const isSoap = (format: Format) => format.startsWith('SOAP');

/** In this order: a later case sees what an earlier one did. */
export function casesOf(format: Format, { isFastApi }: ShopStack): readonly Case[] {
  const items = `${format} ${text}`;
  const item = {
    name: items,
    price: 9.99,
    tag: ['x'],
    part: [{ name: 'inner', price: 1, part: [{ name: 'deep', price: 0 }] }],
  };
  const flat = flatten(item);
  const problem = { type: '/problems/404', title: 'Not Found', status: '404', detail: 'No such item', itemId: '404' };
  return [
    {
      title: 'parameters in path, query, header and cookie, and a big number',
      operation: 'getItem',
      input: { itemId: big, [isFastApi ? 'xLevel' : 'XLevel']: 'high', basket: 'b1', field: ['a', 'b & c'] },
      own: { path: `/items/${big}?field=a&field=b%20%26%20c`, headers: { 'x-level': 'high', cookie: 'basket=b1' } },
      expected: {
        id: String(big),
        name: text,
        price: '2.5',
        added: '2026-01-02T03:04:05Z',
        level: 'high',
        basket: 'b1',
        'field.0': 'a',
        'field.1': 'b & c',
      },
    },
    {
      title: 'problem details as a typed fault',
      operation: 'getItem',
      input: { itemId: 404 },
      own: { path: '/items/404' },
      expected: refusal(format, 404, 'No such item', 'ProblemFault', problem),
    },
    {
      title: 'an error without a body that the document describes',
      operation: 'getItem',
      input: { itemId: 500 },
      own: { path: '/items/500' },
      expected: {
        ...(isSoap(format) ? transientFault : { httpStatus: '502' }),
        [format === 'JSON' ? 'detail' : 'message']:
          `${isSoap(format) ? 'internal 701 ' : ''}No valid answer from the server behind the gateway`,
      },
    },
    {
      title: 'a write with its key, twice',
      operation: 'createItem',
      input: item,
      own: { method: 'POST', path: '/items', body: item },
      expected: { serial: '1', ...prefixed('item', flat) },
      key: `key-of-${format.replace(' ', '-')}`,
    },
    {
      title: 'a list, and a header of the answer',
      operation: 'listItems',
      input: { name: items },
      own: { path: `/items?name=${encodeURIComponent(items)}` },
      // The write had its effect once.
      expected: { ...prefixed('result.0', flat), XTotal: '1' },
    },
    {
      title: 'an operation without an answer',
      operation: 'deleteItem',
      input: { itemId: 7 },
      own: { method: 'DELETE', path: '/items/7' },
      expected: format === 'JSON' ? { httpStatus: '204' } : {},
    },
    {
      title: 'a form with a file',
      operation: 'addPhoto',
      input: { itemId: 7, caption: text, photo: { base64: photo.toString('base64') } },
      own: { method: 'POST', path: '/items/7/photo', body: photoForm },
      expected: { caption: text, bytes: String(photo.length), base64: photo.toString('base64') },
    },
    {
      title: 'an answer of bytes',
      operation: 'getPhoto',
      input: { itemId: 7 },
      own: { path: '/items/7/photo' },
      expected: { result: Buffer.from([0x89, 0x50, 0, 0xff]).toString('base64') },
    },
    {
      title: 'a form',
      operation: 'search',
      input: { word: text, limit: 2 },
      own: { method: 'POST', path: '/search', body: new URLSearchParams({ word: text, limit: '2' }) },
      expected: { 'result.0': `${text} 1`, 'result.1': `${text} 2` },
    },
    {
      title: 'a value that the server refuses',
      operation: 'createItem',
      input: { name: 'x', price: -1 },
      own: { method: 'POST', path: '/items', body: { name: 'x', price: -1 } },
      expected: isFastApi ? fastApiRefusal(format) : refusedPrice(format),
    },
  ];
}

function refusedPrice(format: Format): Flat {
  const detail = 'A price is not below 0';
  return refusal(format, 422, detail, 'ProblemFault', {
    type: '/problems/422',
    title: 'Refused',
    status: '422',
    detail,
  });
}

/** What FastAPI says of a value that its types do not have. */
function fastApiRefusal(format: Format): Flat {
  const message = 'ensure this value is greater than or equal to 0';
  const error = { 'loc.0': 'body', 'loc.1': 'price', msg: message, type: 'value_error.number.not_ge' };
  if (format === 'JSON')
    return refusal(format, 422, message, '', prefixed('detail.0', { ...error, 'ctx.limit_value': '0' }));
  // PHP reads details of faults without their types: it takes a list of one for its element.
  return refusal(
    format,
    422,
    message,
    'HTTPValidationErrorFault',
    prefixed(isSoap(format) ? 'detail' : 'detail.0', error),
  );
}

/** At its own path the server's own words, else a typed fault. */
function refusal(format: Format, status: number, message: string, type: string, data: Flat): Flat {
  if (format === 'JSON') return { httpStatus: String(status), ...data };
  return {
    ...(format === 'FORM' && { httpStatus: String(status) }),
    message,
    ...prefixed(`fault.${type}`, data),
  };
}

function prefixed(prefix: string, members: Flat): Flat {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** Returns what differs, or undefined. */
export async function differenceOf(live: LiveServer, format: Format, each: Case): Promise<string | undefined> {
  const seen = await call(live, format, each);
  const difference = compare(each.expected, seen);
  if (difference !== undefined || each.key === undefined) return difference;
  return compare(seen, await call(live, format, each));
}

function call(live: LiveServer, format: Format, each: Case): Promise<Flat> {
  if (format === 'JSON') return callOwnPath(live, each);
  return format === 'FORM' ? callByName(live, each) : callByPhp(live, format, each);
}

/** Of an error that the gateway writes: its other members are those of every error. */
const ofErrors = /^(?:message|detail|fault\..*)$/;

function withoutUsual(error: Flat): Flat {
  return Object.fromEntries(Object.entries(error).filter(([name]) => ofErrors.test(name)));
}

async function callOwnPath({ callers }: LiveServer, { own, key }: Case): Promise<Flat> {
  const { method = 'GET', path, headers, body } = own;
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const response = await fetch(callers + path, {
    method,
    headers: {
      ...headers,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const value = isJson ? JSON.parse(bytes.toString()) : bytes.toString('base64');
  const flat = flatten(isJson && !Array.isArray(value) ? value : { result: value });
  const isOfGateway = flat.instance?.startsWith('urn:requestReference:');
  const total = response.headers.get('x-total');
  return {
    ...(!response.ok && { httpStatus: String(response.status) }),
    ...(response.status === 204 && { httpStatus: '204' }),
    ...(total !== null && { XTotal: total }),
    ...(isOfGateway ? withoutUsual(flat) : flat),
  };
}

async function callByName({ address }: LiveServer, { operation, input, key }: Case): Promise<Flat> {
  const pairs = Object.entries(flatten(input)).map(([name, value]) => [name.replace(/\.base64$/, ''), value]);
  const response = await fetch(`${address}/${operation}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: new URLSearchParams(pairs).toString(),
  });
  const flat = Object.fromEntries(new URLSearchParams(await response.text()));
  return response.ok ? flat : { httpStatus: String(response.status), ...withoutUsual(flat) };
}

/** By PHP's SoapClient, from the WSDL of the gateway. */
async function callByPhp({ address }: LiveServer, format: Format, { operation, input, key = '' }: Case): Promise<Flat> {
  const parameters = [join(import.meta.dirname, 'clients/php/call.php'), `${address}?wsdl`, format, operation];
  const { stdout } = await execute('php', [...parameters, JSON.stringify(input), key]);
  return flatten(JSON.parse(stdout));
}
