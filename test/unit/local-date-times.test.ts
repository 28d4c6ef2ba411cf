/** Tests texts of date and time without a time zone: in requests and answers of every format, and around changes of the clock. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { createConverter } from '../../src/convert/convert.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { dateTime, object, required } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { localTimeReader } from '../../src/core/contract/time-zone.ts';
import type { Reply } from '../../src/core/formats/protocol.ts';
import { createProtocols, namedProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { services } from '../../src/payments/index.ts';
import { decode } from '../support/exchange.ts';

const contractOf = (timeZone?: string) => {
  const moment = dateTime(0, timeZone === undefined ? {} : { timeZone });
  const content = object('Booking', { At: required(moment, 'The moment.') });
  const parts = { effect: 'writes', role: 'r', doc: 'x', problems: [], input: content, output: content } as const;
  const facts = { version: 1, answers: { from: 1, to: 1 }, doc: 'x', roles: ['r'] };
  const book = operation({ ...parts, name: 'book' });
  const bound = operation({ ...parts, name: 'put', http: { method: 'POST', path: '/bookings' } });
  const bookings = service({
    ...facts,
    name: 'Bookings',
    address: '/bookings',
    legacy: { adapter: '/bookings/form' },
    namespaces: { own: 'b', uris: { b: 'urn:b' } },
    operations: [book],
  });
  const resources = service({ ...facts, name: 'Resources', address: '/resources', operations: [bound] });
  const both = [bookings, resources];
  return { book, bound, bookings, resources, protocols: createProtocols(both), routes: compileRoutes(both) };
};

const amsterdam = contractOf('Europe/Amsterdam');
const strict = contractOf();

/** As .NET writes a DateTime whose kind is not specified. */
const withoutZone = (body: string): string => {
  const local = body.replace(/(T\d\d(?::|%3A)\d\d(?::|%3A)\d\d)(?:\.\d{3})?Z/, '$1');
  if (local === body) throw new TypeError(`no time in ${body}`);
  return local;
};

const noon = { At: Date.UTC(2026, 6, 1, 12) };
/** Noon in Amsterdam, where it is summer. */
const localNoon = { At: Date.UTC(2026, 6, 1, 10) };
const formats: readonly ProtocolName[] = [...namedProtocols, 'rest'];

describe.each(formats)('%s', (name) => {
  const requestTo = ({ protocols, routes, book, bound, bookings, resources }: typeof amsterdam) => {
    const isBound = name === 'rest';
    const call = protocols[name].encodeRequest(isBound ? resources : bookings, isBound ? bound : book, noon);
    return decode(protocols, name, { ...call, body: withoutZone(call.body) }, routes);
  };
  const answerOf = ({ protocols, book, bound }: typeof amsterdam) => {
    const asked = name === 'rest' ? bound : book;
    const { status, contentType, body } = protocols[name].encode(asked, noon);
    const media = { type: contentType.split(';')[0]!, charset: 'utf-8' } as const;
    const reply: Reply = { status, media, headers: {}, body: Buffer.from(withoutZone(body)) };
    const read = protocols[name].decodeAnswer(asked, reply);
    if ('refusal' in read) throw new TypeError('a refusal');
    return read;
  };

  test('reads a time without a zone as one of the zone of the contract', () => {
    expect(requestTo(amsterdam)).toMatchObject({ input: localNoon, issues: [] });
    expect(answerOf(amsterdam)).toMatchObject({ value: localNoon, issues: [] });
  });

  test('refuses it where the contract has no zone', () => {
    expect(requestTo(strict).issues).toMatchObject([{ path: ['At'] }]);
    expect(answerOf(strict).issues).toMatchObject([{ path: ['At'] }]);
  });
});

test('a time with a zone keeps its meaning', () => {
  const call = amsterdam.protocols.json.encodeRequest(amsterdam.bookings, amsterdam.book, noon);
  expect(decode(amsterdam.protocols, 'json', call, amsterdam.routes)).toMatchObject({ input: noon, issues: [] });
});

test.each([
  ['a date alone', '2026-07-01'],
  ['an hour that no day has', '2026-07-01T25:00:00'],
  ['a time without seconds', '2026-07-01T12:00'],
  ['a blank before the time', '2026-07-01 12:00:00'],
])('%s is no time of any zone', (_, text) => {
  const call = amsterdam.protocols.json.encodeRequest(amsterdam.bookings, amsterdam.book, noon);
  const body = JSON.stringify({ At: text });
  expect(decode(amsterdam.protocols, 'json', { ...call, body }, amsterdam.routes).issues).toHaveLength(1);
});

test.each([
  ['in winter', 'Europe/Amsterdam', '2026-01-31T12:00:00', '2026-01-31T11:00:00Z'],
  ['before the clock goes forward', 'Europe/Amsterdam', '2026-03-29T01:59:59', '2026-03-29T00:59:59Z'],
  ['that the clock skips', 'Europe/Amsterdam', '2026-03-29T02:30:00', '2026-03-29T01:30:00Z'],
  ['after the clock has gone forward', 'Europe/Amsterdam', '2026-03-29T03:00:00', '2026-03-29T01:00:00Z'],
  ['that the clock shows twice', 'Europe/Amsterdam', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z'],
  ['after the clock has gone back', 'Europe/Amsterdam', '2026-10-25T03:00:00', '2026-10-25T02:00:00Z'],
  ['west of Greenwich, skipped', 'America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00Z'],
  ['west of Greenwich, shown twice', 'America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z'],
  ['with half an hour', 'Asia/Kolkata', '2026-01-01T00:00:00', '2025-12-31T18:30:00Z'],
  ['in UTC', 'UTC', '2026-01-01T00:00:00', '2026-01-01T00:00:00Z'],
])('a time %s', (_, zone, local, moment) => {
  expect(new Date(localTimeReader(zone)(Date.parse(`${local}Z`))).toISOString()).toBe(moment.replace('Z', '.000Z'));
});

test('an unknown time zone is refused', () => {
  expect(() => dateTime(0, { timeZone: 'Mars/Base' })).toThrow('Mars/Base is no time zone');
});

test('a conversion says that the zone was assumed', () => {
  const convert = createConverter([amsterdam.bookings]);
  const message = '{"At":"2026-07-01T12:00:00"}';
  const { coercions } = convert({ message, from: 'json', operation: 'book', to: ['form'] });
  expect(coercions).toContainEqual(
    expect.objectContaining({ at: '/At', changes: ['textToMoment', 'assumedTimeZone'] }),
  );
  const zoned = convert({ message: '{"At":"2026-07-01T12:00:00Z"}', from: 'json', operation: 'book', to: ['form'] });
  expect(zoned.coercions.flatMap(({ changes }) => changes)).not.toContain('assumedTimeZone');
});

test('the built-in services accept no time without a zone', () => {
  const schemas = services.flatMap(({ operations }) =>
    [...operations.values()].flatMap(({ input, output }) => [input, output]),
  );
  const zones = JSON.stringify(schemas).match(/"timeZone":"[^"]+"/g) ?? [];
  expect(zones).toEqual([]);
  // The control: such a schema would be found.
  expect(JSON.stringify(amsterdam.book.input)).toMatch(/"timeZone":"[^"]+"/);
});
