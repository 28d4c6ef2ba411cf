/** JSON and forms that are refused, by kind of failure, and those that look odd and are taken. */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const list = '/pal/servlet/Recurring/v25/listRecurringDetails';
const store = '/pal/servlet/Recurring/v25/storeToken';
const post = (path: string, type: string, body: string | Buffer) =>
  gateway.ask({ path, headers: { 'content-type': type, ...callers.demo }, body });

type Row = readonly [title: string, problem: string, reason: string, body: string | Buffer];

const json = (text: string) => `{"merchantAccount":"DemoMerchant","shopperReference":"nobody"${text}}`;
const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

const refusedJson: readonly Row[] = [
  ['no bytes', 'undecodable', 'not JSON', ''],
  ['blanks', 'undecodable', 'not JSON', ' \n'],
  ['null', 'undecodable', 'body is null', 'null'],
  ['a text', 'structure', 'structure', '"merchantAccount"'],
  ['a number', 'structure', 'structure', '1'],
  ['a list', 'structure', 'structure', '[{"merchantAccount":"DemoMerchant"}]'],
  ['a form', 'undecodable', 'not JSON', 'merchantAccount=DemoMerchant'],
  ['XML', 'undecodable', 'not JSON', '<listRecurringDetails/>'],
  ['a comma too many', 'undecodable', 'not JSON', '{"merchantAccount":"DemoMerchant",}'],
  ['single quotes', 'undecodable', 'not JSON', "{'merchantAccount':'DemoMerchant'}"],
  ['a comment', 'undecodable', 'not JSON', '{/* x */"merchantAccount":"DemoMerchant"}'],
  ['a name without quotes', 'undecodable', 'not JSON', '{merchantAccount:"DemoMerchant"}'],
  ['NaN', 'undecodable', 'not JSON', json(',"x":NaN')],
  ['a number with a zero in front', 'undecodable', 'not JSON', json(',"x":01')],
  ['a line break in a text', 'undecodable', 'not JSON', '{"merchantAccount":"Demo\nMerchant"}'],
  ['two values', 'undecodable', 'not JSON', `${json('')}${json('')}`],
  ['a truncated body', 'undecodable', 'unterminated string', '{"merchantAccount":"Demo'],
  ['brackets that cross', 'undecodable', 'not JSON', '{"a":[}]'],
  ['a name twice', 'undecodable', 'duplicate key', json(',"shopperReference":"somebody"')],
  ['a name twice, once escaped', 'undecodable', 'duplicate key', json(',"shopper\\u0052eference":"somebody"')],
  [
    'a name twice, deep inside',
    'undecodable',
    'duplicate key',
    json(',"recurring":{"contract":"PAYOUT","contract":"ONECLICK"}'),
  ],
  ['17 levels', 'undecodable', 'too deep', nested(17)],
  [
    '2,002 members',
    'undecodable',
    'too many members',
    json(Array.from({ length: 2_000 }, (_, at) => `,"a${at}":1`).join('')),
  ],
  ['2,002 items', 'undecodable', 'too many members', json(`,"a":[${'1,'.repeat(2_000)}1]`)],
  ['an unpaired surrogate', 'undecodable', 'unpaired surrogate', json(',"shopperEmail":"\\ud800"')],
  ['an unpaired surrogate in a name', 'undecodable', 'unpaired surrogate', json(',"\\udc00":1')],
  ['bytes that are not UTF-8', 'unreadable', 'not UTF-8', Buffer.from(json(',"shopperEmail":"\u00e9"'), 'latin1')],
  ['UTF-16', 'undecodable', 'not JSON', Buffer.from(json(''), 'utf16le')],
  ['two byte order marks', 'undecodable', 'not JSON', `\ufeff\ufeff${json('')}`],
  ['an unknown name', 'unknownField', 'unknownField', json(',"colour":1')],
  ['an unknown name with false', 'unknownField', 'unknownField', json(',"colour":false')],
  ['an unknown name with content in a list', 'unknownField', 'unknownField', json(',"colours":[null,["red"]]')],
  ['an empty value under what is no name', 'unknownField', 'unknownField', json(',"{}":null')],
  ['__proto__', 'unknownField', 'unknownField', json(',"__proto__":{"merchantAccount":"x"}')],
  ['constructor', 'unknownField', 'unknownField', json(',"constructor":{"prototype":{"x":1}}')],
  [
    'a name in other letters',
    'unknownField',
    'unknownField',
    '{"MerchantAccount":"DemoMerchant","shopperReference":"x"}',
  ],
  ['a list for a text', 'structure', 'structure', '{"merchantAccount":["DemoMerchant"],"shopperReference":"x"}'],
  ['an object for a text', 'structure', 'structure', '{"merchantAccount":{"a":"b"},"shopperReference":"x"}'],
  ['true for a text', 'structure', 'structure', '{"merchantAccount":"DemoMerchant","shopperReference":true}'],
  ['a list for an object', 'structure', 'structure', json(',"recurring":["ONECLICK"]')],
  ['a list for a set', 'structure', 'structure', json(',"recurring":{"contract":["ONECLICK"]}')],
  ['an exponent for a text', 'structure', 'structure', '{"merchantAccount":"DemoMerchant","shopperReference":1e5}'],
  [
    'an integer that some programs cannot hold, from 2^53 on',
    'structure',
    'structure',
    '{"merchantAccount":"DemoMerchant","shopperReference":9007199254740993}',
  ],
  [
    'a fraction of 16 digits for a text',
    'structure',
    'structure',
    '{"merchantAccount":"DemoMerchant","shopperReference":1.234567890123456}',
  ],
  ['a boolean for a text', 'structure', 'structure', '{"merchantAccount":"DemoMerchant","shopperReference":true}'],
  ['an infinite number', 'structure', 'structure', '{"merchantAccount":"DemoMerchant","shopperReference":1e400}'],
  ['a NUL', 'structure', 'structure', '{"merchantAccount":"DemoMerchant","shopperReference":"a\\u0000"}'],
];

const takenJson: readonly (readonly [string, string])[] = [
  ['a byte order mark', `\ufeff${json('')}`],
  ['blanks around', `\r\n ${json('')}\t`],
  ['nulls', json(',"recurring":null,"shopperEmail":null')],
  ['empty objects and texts', json(',"recurring":{},"applicationInfo":""')],
  ['what clients add', json(',"applicationInfo":{"a":[1.5,true,null,{"b":{}}]}')],
  [
    'members of version 1 and of the Python library',
    json(',"customReference":"c","reference":"r","shopperEmail":"a@b.c"'),
  ],
  ['empty unknown members', json(',"x":null,"y":{"z":[[],{"a":""}]},"__proto__":null')],
  ['15 digits as a number', '{"merchantAccount":"DemoMerchant","shopperReference":123456789012345}'],
  ['16 digits as a number, below 2^53', '{"merchantAccount":"DemoMerchant","shopperReference":9007199254740991}'],
  ['a number with a fraction', '{"merchantAccount":"DemoMerchant","shopperReference":-12.50}'],
  ['16 levels where nothing counts', json(`,"applicationInfo":${nested(15)}`)],
];

const refusedForm: readonly Row[] = [
  ['a key twice', 'undecodable', 'duplicate key', 'merchantAccount=DemoMerchant&shopperReference=a&shopperReference=b'],
  ['a key twice, once encoded', 'undecodable', 'duplicate key', 'shopperReference=a&shopper%52eference=b'],
  ['an empty key', 'unknownField', 'unknownField', '=x'],
  ['an empty step', 'unknownField', 'unknownField', 'recurring..contract=ONECLICK'],
  ['a dot in front', 'unknownField', 'unknownField', '.merchantAccount=DemoMerchant'],
  ['__proto__', 'unknownField', 'unknownField', '__proto__.x=1'],
  ['__proto__, encoded', 'unknownField', 'unknownField', 'recurring.%5F_proto__.x=1'],
  ['brackets', 'unknownField', 'unknownField', 'recurring[contract]=ONECLICK'],
  ['brackets, encoded', 'unknownField', 'unknownField', 'recurring%5Bcontract%5D=ONECLICK'],
  ['a lone percent sign', 'undecodable', 'percent-encoding', 'merchantAccount=100%'],
  ['no hex digits', 'undecodable', 'percent-encoding', 'merchantAccount=%zz'],
  ['bytes that are not UTF-8, encoded', 'undecodable', 'percent-encoding', 'merchantAccount=%ff%fe'],
  ['an overlong slash, encoded', 'undecodable', 'percent-encoding', 'merchantAccount=%c0%af'],
  ['a surrogate, encoded', 'undecodable', 'percent-encoding', 'merchantAccount=%ED%A0%80'],
  ['bytes that are not UTF-8', 'unreadable', 'not UTF-8', Buffer.from('merchantAccount=\u00e9', 'latin1')],
  ['a byte order mark', 'unsupportedMedia', 'byte order mark', '\ufeffmerchantAccount=DemoMerchant'],
  ['201 pairs', 'undecodable', 'too many pairs', Array.from({ length: 201 }, (_, at) => `a${at}=`).join('&')],
  ['17 steps', 'unknownField', 'unknownField', `a${'.a'.repeat(16)}=1`],
  ['a key of 257 letters', 'unknownField', 'unknownField', `${'a'.repeat(257)}=1`],
  ['a NUL', 'structure', 'structure', 'merchantAccount=DemoMerchant&shopperReference=a%00'],
  [
    'a text and an object',
    'structure',
    'structure',
    'merchantAccount=DemoMerchant&merchantAccount.x=1&shopperReference=x',
  ],
  [
    'an object and a text',
    'structure',
    'structure',
    'merchantAccount=DemoMerchant&shopperReference=x&recurring=1&recurring.contract=PAYOUT',
  ],
  ['an object for a text', 'structure', 'structure', 'merchantAccount.0=DemoMerchant&shopperReference=x'],
  [
    'a text for an object',
    'structure',
    'structure',
    'merchantAccount=DemoMerchant&shopperReference=x&recurring=ONECLICK',
  ],
  ['XML', 'unknownField', 'unknownField', '<listRecurringDetails/>'],
  ['a key in other letters', 'unknownField', 'unknownField', 'MerchantAccount=DemoMerchant&shopperReference=x'],
  ['a blank in front of a key', 'unknownField', 'unknownField', 'merchantAccount=DemoMerchant&+shopperReference=x'],
  [
    'a semicolon between pairs',
    'missingShopperReference',
    'missingShopperReference',
    'merchantAccount=DemoMerchant;shopperReference=x',
  ],
  ['constructor', 'unknownField', 'unknownField', 'constructor.prototype.x=1'],
  ['a value with a bare &', 'structure', 'structure', 'merchantAccount=DemoMerchant&shopperReference=Tom&Jerry&Co'],
  ['a value with & and blanks', 'structure', 'structure', 'merchantAccount=DemoMerchant&shopperReference=Tom+&+Jerry'],
  ['a value with & in front', 'structure', 'structure', '%4Aerry&merchantAccount=DemoMerchant&shopperReference=Tom'],
  [
    'a value with & in an object',
    'structure',
    'structure',
    'merchantAccount=DemoMerchant&shopperReference=x&recurring.Co',
  ],
];

const takenForm: readonly (readonly [string, string])[] = [
  ['empty pairs', '&&merchantAccount=DemoMerchant&&shopperReference=nobody&'],
  ['an unknown key with an empty value', 'merchantAccount=DemoMerchant&shopperReference=nobody&colour='],
  ['a key without a value', 'merchantAccount=DemoMerchant&shopperReference=nobody&recurring.contract'],
  ['a dot, encoded', 'merchantAccount=DemoMerchant&shopperReference=nobody&recurring%2Econtract=PAYOUT'],
  ['letters, encoded', '%6DerchantAccount=%44emoMerchant&shopperReference=no%62ody'],
  ['equals signs and semicolons in a value', 'merchantAccount=DemoMerchant&shopperReference=a=b;c'],
  ['an action', 'action=Recurring.disable&merchantAccount=DemoMerchant&shopperReference=nobody'],
];

const form = 'application/x-www-form-urlencoded';

const formError = /^errorType=validation&errorCode=\d{3}&message=[^&]+&.*status=\d{3}$/;

describe('JSON', () => {
  test.each(refusedJson)('refused: %s', async (_, problem, reason, body) => {
    const { message, entry } = await post(list, 'application/json', body);
    expect([entry.outcome, entry.problem?.reason]).toEqual([problem, reason]);
    expect(JSON.parse(message.body)).toMatchObject({
      status: message.status,
      errorCode: '702',
      errorType: 'validation',
    });
    expect(message.status).toBe(400);
  });

  test.each(takenJson)('taken: %s', async (_, body) => {
    const { message } = await post(list, 'application/json', body);
    expect(message).toMatchObject({ status: 200, body: '{}' });
  });
});

describe('FORM', () => {
  test.each(refusedForm)('refused: %s', async (_, problem, reason, body) => {
    const { message, entry } = await post(list, form, body);
    expect([entry.outcome, entry.problem?.reason]).toEqual([problem, reason]);
    expect(message.body).toMatch(formError);
    const statuses: Readonly<Record<string, number>> = { unsupportedMedia: 415, missingShopperReference: 422 };
    expect(message.status).toBe(statuses[problem] ?? 400);
  });

  test.each(takenForm)('taken: %s', async (_, body) => {
    const { message } = await post(list, form, body);
    expect(message).toMatchObject({ status: 200, body: '' });
  });
});

describe('the form adapter', () => {
  const rows: readonly Row[] = [
    ['no action', 'unknownOperation', 'unknownOperation', 'disableRequest.merchantAccount=DemoMerchant'],
    ['an unknown action', 'unknownOperation', 'unknownOperation', 'action=Recurring.enable'],
    ['an action of another service', 'unknownOperation', 'unknownOperation', 'action=Payment.disable'],
    ['an action of every object', 'unknownOperation', 'unknownOperation', 'action=Recurring.constructor'],
    ['two actions', 'undecodable', 'duplicate key', 'action=Recurring.disable&action=Recurring.storeToken'],
    ['keys without a prefix', 'unknownField', 'unknownField', 'action=Recurring.disable&merchantAccount=DemoMerchant'],
    [
      "another operation's prefix",
      'unknownField',
      'unknownField',
      'action=Recurring.disable&storeTokenRequest.merchantAccount=DemoMerchant',
    ],
    [
      'a value with a bare &',
      'structure',
      'structure',
      'action=Recurring.disable&disableRequest.merchantAccount=DemoMerchant&disableRequest.shopperReference=Tom&Jerry&Co',
    ],
    ['a text for all', 'structure', 'structure', 'action=Recurring.disable&disableRequest=x'],
  ];

  test.each(rows)('refused: %s', async (_, problem, reason, body) => {
    const { message, entry } = await post('/pal/adapter/httppost', form, body);
    expect([entry.outcome, entry.problem?.reason]).toEqual([problem, reason]);
    expect(message.status).toBe(500);
    expect(message.body).toMatch(/^validation (702|000) [A-Z]/);
  });
});

test('a key of additional data may hold dots, and equals itself in JSON and FORM', async () => {
  const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'A' };
  const body = {
    additionalData: { 'card.encrypted.json': 'x' },
    card,
    merchantAccount: 'DemoMerchant',
    recurring: { contract: 'PAYOUT' },
    shopperReference: 'dots',
  };
  await post(store, 'application/json', JSON.stringify(body));
  const answer = await post(list, form, 'merchantAccount=DemoMerchant&shopperReference=dots');
  expect(answer.message.body).toContain('&details.0.additionalData.card.encrypted.json=x&');
});
