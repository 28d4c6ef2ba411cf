/** What operators see of large values: their length in the traffic of the console, and metrics of their files. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { importedServices, startCountingServer } from '../support/imported-services.ts';
import { type ServingProgram, serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const imported = importedServices.find(({ service }) => service === 'FleetService')!;
const adminToken = 'the-token-of-the-admin-port';
const length = 1_048_576;
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Annotate xmlns="http://tempuri.org/"><id>note-1</id>' +
  '<note>hello</note><photo><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:p1"/></photo></Annotate></e:Body></e:Envelope>';

interface Started {
  readonly gateway: ServingProgram;
  readonly bodies: readonly string[];
}

async function withGateway(settings: Readonly<Record<string, string>>, run: (started: Started) => Promise<void>) {
  const folder = tempFolder();
  const upstream = await startCountingServer(imported);
  try {
    const keys = join(folder.path, 'keys');
    await triglyph(['keys', 'create', keys], folder.path);
    const parameters = [...imported.parameters, '--upstream', upstream.url, '--stateless'];
    const gateway = await serve([...parameters, '--upstream-idempotency', 'header'], folder.path, {
      ...{ LOG_LEVEL: 'info', KEY_FILE: keys, CONSOLE: 'on', ADMIN_TOKEN: adminToken, TRAFFIC: 'always' },
      ...settings,
    });
    try {
      await run({ gateway, bodies: upstream.bodies });
    } finally {
      await gateway.stop();
    }
  } finally {
    upstream.stop();
    folder.discard();
  }
}

const root = `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\n\r\n${envelope}`;
const headers = {
  'Content-Type': 'multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary=b',
  SOAPAction: '"http://tempuri.org/IFleetService/Annotate"',
};
const start = `${root}\r\n--b\r\nContent-ID: <p1>\r\n\r\n${'P'.repeat(length)}`;
const body = `${start}\r\n--b--\r\n`;

test('a large part of a request to an imported service', () =>
  withGateway({}, async ({ gateway, bodies }) => {
    const response = await fetch(`${gateway.callers}/FleetService.svc/v1`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(bodies.join('')).toContain(Buffer.alloc(length, 'P').toString('base64'));
    const read = async (path: string) => {
      const url = `${gateway.admin}/console/api/v1/traffic/requests${path}`;
      return await (await fetch(url, { headers: { 'X-API-Key': adminToken } })).text();
    };
    const [line] = JSON.parse(await read('')).requests;
    const details = await read(`/${line.id}`);
    expect(details).toContain('note-1');
    expect(details).toContain(`part 1: ${length} bytes`);
    expect(details).not.toMatch(/_spooled_|PPPP/);
    expect(gateway.received.stdout + gateway.received.stderr).not.toContain('_spooled_');
  }));

test('attachments of an imported service may have 100 MiB, and the refusal of a larger one names the field or the setting', () =>
  withGateway({ TRAFFIC: 'off' }, async ({ gateway, bodies }) => {
    const address = `${gateway.callers}/FleetService.svc/v1`;
    const send = (bytes: number) => {
      const part = `\r\n--b\r\nContent-ID: <p1>\r\n\r\n${'P'.repeat(bytes)}`;
      return fetch(address, { method: 'POST', headers, body: `${root}${part}\r\n--b--\r\n` });
    };
    expect((await send(30 * 1_048_576)).status).toBe(200);
    expect(bodies.join('').length).toBeGreaterThan(40 * 1_048_576);
    expect(await (await send(104_857_601)).text()).toContain("Field 'photo' may not exceed 139810136 characters");
    // Its length is refused. A client that sends for longer than the gateway reads on cannot read the answer.
    const whole = request(address, { method: 'POST', headers: { ...headers, 'Content-Length': 160_000_000 } });
    const answered = once(whole, 'response');
    whole.flushHeaders();
    const [response] = await answered;
    expect(await textOf(response)).toMatch(/Request larger than the maximum of \d+ bytes/);
    whole.destroy();
  }));

test('metrics have the files and their bytes while a request is under way, and what found no space', () =>
  withGateway({ SPOOL_BYTES_MAX: '1500000' }, async ({ gateway }) => {
    const address = `${gateway.callers}/FleetService.svc/v1`;
    const metric = async (name: string) => {
      const text = await (
        await fetch(`${gateway.admin}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })
      ).text();
      return Number(new RegExp(`^triglyph_temporary_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    };
    expect([await metric('files'), await metric('file_bytes')]).toEqual([0, 0]);
    const slow = request(address, { method: 'POST', headers });
    const answered = once(slow, 'response');
    slow.write(start);
    await until('the value is in a file', async () => (await metric('file_bytes')) >= length - 100);
    expect(await metric('files')).toBe(1);
    expect(await metric('files_full_total{kind="limit"}')).toBeNaN();
    expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(503);
    expect(await metric('files_full_total{kind="limit"}')).toBe(1);
    slow.end('\r\n--b--\r\n');
    const [{ statusCode }] = await answered;
    expect(statusCode).toBe(200);
    await until('the file is closed', async () => (await metric('files')) === 0);
    expect(await metric('file_bytes')).toBe(0);
  }));
