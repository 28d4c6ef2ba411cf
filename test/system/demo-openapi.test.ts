/** One command in front of the demo of the gateway itself, by the OpenAPI document that it serves. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { demoAuthorization, type Server, startServer } from '../support/server.ts';
import { type ServingProgram, serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const folder = tempFolder();
let demo: Server;
let gateway: ServingProgram;
beforeAll(async () => {
  demo = await startServer('demo', folder.path);
  gateway = await serve(['--openapi', `${demo.callers}/openapi.json`], folder.path, {
    DATA_DIR: join(folder.path, 'own'),
  });
});
afterAll(async () => {
  await gateway?.stop();
  await demo?.stop();
  folder.discard();
});

const credential = { authorization: demoAuthorization };
const request = { merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1', recurring: { contract: 'ONECLICK' } };
const path = '/pal/servlet/Recurring/v68/listRecurringDetails';

const post = async (origin: string, headers: Readonly<Record<string, string>>, body: string) => {
  const response = await fetch(origin + path, { method: 'POST', headers: { ...headers, ...credential }, body });
  return { status: response.status, text: await response.text() };
};

test('JSON is answered as by the demo, and a form at the same path', async () => {
  const json = { 'content-type': 'application/json' };
  const direct = await post(demo.callers, json, JSON.stringify(request));
  expect(await post(gateway.callers, json, JSON.stringify(request))).toEqual(direct);
  expect(direct.text).toContain('"holderName":"Anna van Dijk"');
  const form = new URLSearchParams({ merchantAccount: 'DemoMerchant', shopperReference: 'shopper-1' }).toString();
  const answer = await post(gateway.callers, { 'content-type': 'application/x-www-form-urlencoded' }, form);
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('holderName=Anna+van+Dijk') });
});

test('PHP calls it in SOAP by the WSDL, with HTTP Basic, and sees its errors', async () => {
  const page = await (await fetch(gateway.callers, { headers: { accept: 'text/html' } })).text();
  const [, wsdl = ''] = /href="([^"]*\?wsdl)"/.exec(page) ?? [];
  const program = `[, $wsdl, $request] = $argv;
$client = new SoapClient($wsdl, ['cache_wsdl' => WSDL_CACHE_NONE, 'login' => 'ws@Company.Demo', 'password' => 'demo-password']);
$functions = implode(' ', $client->__getFunctions());
preg_match('/\\b(\\w*listRecurringDetails\\w*)\\(/i', $functions, $found);
$answer = json_encode($client->{$found[1]}(json_decode($request)));
echo str_contains($answer, 'Anna van Dijk') ? 'found' : $answer, "\n";
try { $client->{$found[1]}(['merchantAccount' => 'Other', 'shopperReference' => 'x']); } catch (SoapFault $fault) { echo $fault->getMessage(); }`;
  const { stdout } = await run('php', ['-r', program, '--', wsdl, JSON.stringify(request)]);
  expect(stdout).toMatch(/^found\n.*Invalid Merchant Account$/);
});
