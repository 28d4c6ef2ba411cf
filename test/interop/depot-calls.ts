/** Calls a depot through the gateway in each format, and compares what comes back with what each server answers. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DepotStack, Lack } from './depot-stacks.ts';
import type { LiveServer } from './live-server.ts';

const execute = promisify(execFile);

export const formats = ['JSON', 'FORM', 'SOAP 1.1', 'SOAP 1.2'] as const;
export type Format = (typeof formats)[number];

/** Members by their path, like `parcel.tag.1`, as texts. */
export type Flat = Readonly<Record<string, string>>;

interface Case {
  readonly title: string;
  readonly operation: string;
  readonly input: unknown;
  /** The `sessionId` of a header. */
  readonly session?: string;
  readonly expected: Flat;
  /** The case is left out for stacks that lack one of these. */
  readonly needs?: Lack;
}

const text = 'Zoë <&> "Ω"';
const parcel = { 'parcel.pieces': '3', 'parcel.sent': '2026-01-02T03:04:05.000Z', 'parcel.weight': '2.5' };
const tags = { 'parcel.tag.0': 'a', 'parcel.tag.1': 'b & c' };
const box = { label: 'outer', box: [{ label: text }, { label: 'inner', box: [{ label: 'innermost' }] }] };

const isSoap = (format: Format) => format.startsWith('SOAP');
/** What the detail of a fault says about sending the request again. */
export const transientFault: Flat = { 'fault.transient-error': 'true', 'fault.retry-after': '1' };

/** What a stack can do, in this order: the last case sees what an earlier one did. */
export function casesOf(format: Format, { lacks }: DepotStack): readonly Case[] {
  return cases(format, lacks).filter(({ needs }) => needs === undefined || !lacks.includes(needs));
}

/** `format` makes the notes of each one differ. */
const cases = (
  format: Format,
  lacks: readonly Lack[],
  code = isSoap(format) && lacks.includes('faults without a code') ? 'validation generalException ' : '',
): readonly Case[] => [
  {
    title: 'values, lists and texts',
    operation: 'GetParcel',
    input: { id: text },
    expected: { 'parcel.id': text, ...parcel, ...tags },
  },
  {
    title: 'a header that a log-in returns',
    operation: 'LogIn',
    input: { user: 'anna' },
    expected: { since: 'today', 'soapHeaders.Session.sessionId': 's-anna' },
  },
  {
    title: 'a header that a request has',
    operation: 'GetParcel',
    input: { id: '7' },
    session: 's-anna',
    expected: { 'parcel.id': '7', ...parcel, ...tags, 'parcel.owner': 's-anna' },
  },
  {
    title: 'a declared fault with its data',
    operation: 'GetParcel',
    input: { id: 'none' },
    expected: {
      ...(!isSoap(format) && { status: lacks.includes('faults of callers') ? '500' : '422' }),
      message: 'No such parcel',
      'fault.ParcelNotFound.id': 'none',
      'fault.ParcelNotFound.line.0': '7',
      'fault.ParcelNotFound.line.1': '9',
    },
    needs: 'data of faults',
  },
  {
    title: 'another fault',
    operation: 'GetParcel',
    input: { id: 'broken' },
    expected: {
      ...(isSoap(format) ? !lacks.includes('faults without data') && transientFault : { status: '500' }),
      message: `${code}Out of order`,
    },
  },
  {
    title: 'a type in itself',
    operation: 'Pack',
    input: { box },
    expected: flatten({ box }),
  },
  {
    title: 'a type in the place of the one that it extends',
    operation: 'Send',
    input: { carrier: { xsiType: 'Truck', name: text, plate: 'AB-12' } },
    expected: { 'carrier.xsiType': 'Truck', 'carrier.name': text, 'carrier.plate': 'AB-12' },
    needs: 'inheritance',
  },
  {
    title: 'an operation without an answer',
    operation: 'Notify',
    input: { text: `${format} ${text}` },
    expected: isSoap(format) || lacks.includes('one-way') ? {} : { status: '202' },
  },
  { title: 'an operation without members', operation: 'GetNotes', input: {}, expected: { note: `${format} ${text}` } },
];

/** Returns what differs, or undefined. */
export async function differenceOf({ address }: LiveServer, format: Format, each: Case): Promise<string | undefined> {
  const seen = await call(address, format, each);
  // Notes of other formats are there, too.
  const { note } = each.expected;
  if (note !== undefined) return Object.values(seen).includes(note) ? undefined : `no note in ${JSON.stringify(seen)}`;
  return compare(
    each.expected,
    Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, normal(name, value)])),
  );
}

/** Returns the members that differ, or undefined. */
export function compare(expected: Flat, seen: Flat): string | undefined {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(seen)])].toSorted();
  const differing = names.filter((name) => seen[name] !== expected[name]);
  return differing.length === 0
    ? undefined
    : differing.map((name) => `${name}: ${expected[name]} expected, ${seen[name]} seen`).join('\n');
}

/** Times are in UTC, decimals without zeros at the end. */
function normal(name: string, value: string): string {
  if (name.endsWith('.sent')) return new Date(value).toISOString();
  return name.endsWith('.weight') ? String(Number(value)) : value;
}

function call(address: string, format: Format, each: Case): Promise<Flat> {
  if (format === 'JSON' || format === 'FORM') return callByName(address, format, each);
  return callByPhp(address, format, each);
}

/** Error bodies have more members than these; `detail` is that of problem details. */
const errorMembers = /^(message|detail|fault\.)/;

async function callByName(
  address: string,
  format: 'JSON' | 'FORM',
  { operation, input, session }: Case,
): Promise<Flat> {
  const given = session === undefined ? input : { ...Object(input), soapHeaders: { Session: { sessionId: session } } };
  const response = await fetch(`${address}/${operation}`, {
    method: 'POST',
    headers: { 'content-type': format === 'JSON' ? 'application/json' : 'application/x-www-form-urlencoded' },
    body: format === 'JSON' ? JSON.stringify(given) : new URLSearchParams(flatten(given)).toString(),
  });
  const body = await response.text();
  if (response.status === 202) return { status: '202', ...(body !== '' && { body }) };
  const flat = format === 'JSON' ? flatten(JSON.parse(body)) : Object.fromEntries(new URLSearchParams(body));
  if (response.status === 200) return flat;
  const shown = Object.entries(flat).flatMap(([name, value]) =>
    errorMembers.test(name) ? [[name === 'detail' ? 'message' : name, value] as const] : [],
  );
  return { status: String(response.status), ...Object.fromEntries(shown) };
}

/** By PHP's SoapClient, from the WSDL of the gateway. */
async function callByPhp(address: string, format: Format, { operation, input, session }: Case): Promise<Flat> {
  const parameters = [join(import.meta.dirname, 'clients/php/depot.php'), `${address}?wsdl`, format, operation];
  const { stdout } = await execute('php', [...parameters, JSON.stringify(input), session ?? '']);
  return flatten(JSON.parse(stdout));
}

/** Members by their path. Empty texts and nulls are absent. */
export function flatten(value: unknown): Record<string, string> {
  const flat: Record<string, string> = {};
  const visit = (path: string, each: unknown): void => {
    // An empty text is absent.
    if (each === null || each === undefined || each === '') return;
    if (typeof each === 'object')
      for (const [name, inner] of Object.entries(each)) visit(path === '' ? name : `${path}.${name}`, inner);
    else flat[path] = String(each);
  };
  visit('', value);
  return flat;
}
