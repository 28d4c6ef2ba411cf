/** The traffic of the console has the length of a large value: the message is read again after it was answered. */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { importedServices, startCountingServer } from '../support/imported-services.ts';
import { serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const imported = importedServices.find(({ service }) => service === 'FleetService')!;
const adminToken = 'the-token-of-the-admin-port';
const length = 1_048_576;
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Annotate xmlns="http://tempuri.org/"><id>note-1</id>' +
  '<note>hello</note><photo><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:p1"/></photo></Annotate></e:Body></e:Envelope>';

test('a large part of a request to an imported service', async () => {
  const folder = tempFolder();
  const upstream = await startCountingServer(imported);
  const keys = join(folder.path, 'keys');
  await triglyph(['keys', 'create', keys], folder.path);
  const parameters = [...imported.parameters, '--upstream', upstream.url, '--stateless'];
  const gateway = await serve([...parameters, '--upstream-idempotency', 'header'], folder.path, {
    ...{ LOG_LEVEL: 'info', KEY_FILE: keys, CONSOLE: 'on', ADMIN_TOKEN: adminToken, TRAFFIC: 'always' },
  });
  try {
    const root = `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\n\r\n${envelope}`;
    const part = `\r\n--b\r\nContent-ID: <p1>\r\n\r\n${'P'.repeat(length)}\r\n--b--\r\n`;
    const response = await fetch(`${gateway.callers}/FleetService.svc/v1`, {
      method: 'POST',
      headers: {
        'Content-Type': 'multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary=b',
        SOAPAction: '"http://tempuri.org/IFleetService/Annotate"',
      },
      body: root + part,
    });
    expect(response.status).toBe(200);
    expect(upstream.bodies.join('')).toContain(Buffer.alloc(length, 'P').toString('base64'));
    const read = async (path: string) => {
      const headers = { 'X-API-Key': adminToken };
      return await (await fetch(`${gateway.admin}/console/api/v1/traffic/requests${path}`, { headers })).text();
    };
    const [line] = JSON.parse(await read('')).requests;
    const details = await read(`/${line.id}`);
    expect(details).toContain('note-1');
    expect(details).toContain(`part 1: ${length} bytes`);
    expect(details).not.toMatch(/_spooled_|PPPP/);
    expect(gateway.received.stdout + gateway.received.stderr).not.toContain('_spooled_');
  } finally {
    await gateway.stop();
    upstream.stop();
    folder.discard();
  }
});
