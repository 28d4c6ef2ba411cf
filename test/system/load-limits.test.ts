/** Tests the limits on load with a real server: refusals in each format, answers that wait, and what the metrics count. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { holdRequest } from '../support/held-request.ts';
import { basic, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let server: Server;
let authorization: string;
let variables: Readonly<Record<string, string>>;
beforeAll(async () => {
  const production = await prepareProduction(folder.path);
  const { username, secret } = production.credential;
  authorization = basic(username, secret);
  variables = production.variables as Readonly<Record<string, string>>;
});
afterAll(() => folder.discard());

const soap = (body: string) =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${body}</e:Body></e:Envelope>`;
const service = '/pal/servlet/Recurring/v25';
const requests = [
  [
    'JSON',
    `${service}/listRecurringDetails`,
    'application/json',
    '{"merchantAccount":"AcmeWeb","shopperReference":"a"}',
  ],
  [
    'FORM',
    `${service}/listRecurringDetails`,
    'application/x-www-form-urlencoded',
    'merchantAccount=AcmeWeb&shopperReference=a',
  ],
  [
    'SOAP',
    service,
    'text/xml',
    soap(
      '<listRecurringDetails xmlns="http://recurring.services.adyen.com"><request><merchantAccount>AcmeWeb</merchantAccount><shopperReference>a</shopperReference></request></listRecurringDetails>',
    ),
  ],
] as const;

async function send(
  [, path, type, body]: (typeof requests)[number],
  headers: Readonly<Record<string, string>> = { Authorization: authorization },
) {
  const response = await fetch(server.callers + path, {
    method: 'POST',
    headers: { 'Content-Type': type, ...headers },
    body,
  });
  const { status } = response;
  return {
    status,
    type: response.headers.get('content-type'),
    retryAfter: response.headers.get('retry-after'),
    text: await response.text(),
  };
}

async function counted(kind: string): Promise<number> {
  const metrics = await (await fetch(`${server.admin}/metrics`)).text();
  return Number(new RegExp(`triglyph_load_limited_total\\{kind="${kind}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
}

describe.each([
  ['with limits', { REQUESTS_PER_CREDENTIAL_MAX: '1', UNAUTHENTICATED_PER_SECOND_MAX: '5' }, 429, 1],
  [
    'control: without limits',
    { REQUESTS_PER_CREDENTIAL_MAX: '0', REQUEST_WAIT_MS_MAX: '0', UNAUTHENTICATED_PER_SECOND_MAX: '0' },
    200,
    0,
  ],
] as const)('%s', (_, limits, expected, factor) => {
  beforeAll(async () => {
    server = await startServer('serve', folder.path, { ...variables, ...limits });
  });
  afterAll(() => server.stop());

  test('a credential has one request at a time, in every format', async () => {
    const held = await holdRequest(server.callers, authorization);
    for (const request of requests) {
      const answer = await send(request);
      expect(answer.status).toBe(expected);
      expect(answer.type).toContain(request[2]);
      if (expected === 429)
        expect(answer).toMatchObject({
          retryAfter: expect.stringMatching(/^[1-5]$/),
          text: expect.stringMatching(/Too.many.requests/),
        });
    }
    held.release();
    expect((await held.answer).status).toBe(200);
    for (const request of requests) expect((await send(request)).status).toBe(200);
    expect(await counted('atOnce')).toBe(3 * factor);
  });

  test('answers without a credential wait beyond a number in a second, and are the same', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(requests[0], {})));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    if (factor === 0) expect(await counted('slowed')).toBe(0);
    else expect(await counted('slowed')).toBeGreaterThanOrEqual(20);
  });
});
