/** One command in an empty folder serves a real SOAP server in every format: the `soap` package, and PHP's SoapServer. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { listen } from 'soap';
import { createCertificate } from '../support/certificates.ts';
import { spawnTriglyph } from '../support/commands.ts';
import { freePort, listenLocally } from '../support/listen-locally.ts';
import { post, printedCalls, printedKey, type ServingProgram, serve } from '../support/serving-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const address = 'http://stock.example/stock/service';
const wsdl = readFileSync(join(import.meta.dirname, '../wsdl/stock.wsdl'), 'utf8');

interface Call {
  readonly action: string | undefined;
  readonly key: string | undefined;
}

interface StockServer {
  /** The address of its WSDL. */
  readonly wsdl: string;
  /** Where the WSDL says that it is. */
  readonly address: string;
  calls(): readonly Call[];
  stop(): void;
}

async function startNode(): Promise<StockServer> {
  const calls: Call[] = [];
  const server: Server = createServer();
  const own = `http://127.0.0.1:${await listenLocally(server)}/stock/service`;
  const operations = {
    GetStock: ({ Sku }: { readonly Sku: string }) => ({
      Quantity: 5,
      Price: '19.90',
      Seen: '2026-01-02T03:04:05Z',
      Place: [Sku, 'B'],
    }),
    AddStock: ({ Quantity }: { readonly Quantity: number }) => ({ Quantity: 5 + Number(Quantity) }),
  };
  await new Promise<void>((resolve, reject) => {
    listen(server, {
      path: '/stock/service',
      services: { Stock: { StockPort: operations } },
      xml: wsdl.replace(address, own),
      callback: (error: unknown) => (error ? reject(error) : resolve()),
    });
  });
  server.prependListener('request', ({ method, headers }) => {
    if (method === 'POST')
      calls.push({ action: headers.soapaction as string | undefined, key: headers['x-api-key'] as string | undefined });
  });
  return {
    wsdl: `${own}?wsdl`,
    address: own,
    calls: () => calls,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Its types are in a schema that the WSDL imports. */
async function startPhp(): Promise<StockServer> {
  const folder = tempFolder();
  const port = await freePort();
  const own = `http://127.0.0.1:${port}/stock.php?tenant=7`;
  const [types = ''] = /<xs:schema[\s\S]*<\/xs:schema>/.exec(wsdl) ?? [];
  const importing = '<xs:schema><xs:import namespace="urn:example:stock" schemaLocation="stock.xsd"/></xs:schema>';
  writeFileSync(join(folder.path, 'stock.wsdl'), wsdl.replace(types, importing).replace(address, own));
  const declarations = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="urn:example:stock"';
  writeFileSync(join(folder.path, 'stock.xsd'), types.replace('<xs:schema', `<xs:schema ${declarations}`));
  const script = join(import.meta.dirname, 'soap-servers/stock.php');
  const child: ChildProcess = spawn('php', ['-S', `127.0.0.1:${port}`, script], {
    env: { PATH: process.env.PATH, FOLDER: folder.path },
    stdio: 'ignore',
  });
  await until('PHP to serve', async () => (await fetch(`http://127.0.0.1:${port}/stock.xsd`)).ok);
  const file = join(folder.path, 'calls.txt');
  return {
    wsdl: `http://127.0.0.1:${port}/stock.php?wsdl`,
    address: own,
    calls: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Call)
        : [],
    stop() {
      child.kill();
      folder.discard();
    },
  };
}

const envelope = (uri: string) =>
  `<e:Envelope xmlns:e="${uri}"><e:Body><GetStock xmlns="urn:example:stock"><Sku>A</Sku></GetStock></e:Body></e:Envelope>`;

const soapAnswer =
  /<ns1:GetStockResponse[^>]*><Quantity>5<\/Quantity><Price>19.9<\/Price><Seen>2026-01-02T03:04:05.000[^<]*<\/Seen><Place>A<\/Place><Place>B<\/Place>/;

const servers = { soap: startNode, php: startPhp } as const;

describe.each(['soap', 'php'] as const)('in front of a server of %s', (name) => {
  let server: StockServer;
  let empty: TempFolder;
  let gateway: ServingProgram | undefined;
  beforeAll(async () => {
    server = await servers[name]();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    empty = tempFolder();
  });
  afterEach(async () => {
    await gateway?.stop();
    gateway = undefined;
    empty.discard();
  });

  test('one command serves each operation in four formats, and the calls that it prints work', async () => {
    gateway = await serve(['--wsdl', server.wsdl, '--reads', 'get*'], empty.path);
    await until('the calls', () => gateway?.received.stderr.includes('SOAP:') === true);
    const { callers, received } = gateway;
    expect(received.stderr).toContain(`answered by ${server.address}\n`);
    expect(received.stderr).toContain('AddStock writes, since --reads does not name it');
    expect(received.stderr).not.toContain('GetStock writes');
    for (const command of printedCalls(received.stderr)) {
      const { stdout } = await run('sh', ['-c', command]);
      expect(stdout).toMatch(/"Quantity":5,|Quantity=5&|<Quantity>5</);
    }
    const at = `${callers}/${name === 'php' ? 'stock.php' : 'stock/service'}`;
    for (const address of [`${at}/v1/GetStock`, `${at}/GetStock`]) {
      const json = await post(address, 'application/json', '{"Sku":"A"}');
      expect(json).toMatchObject({ status: 200 });
      expect(JSON.parse(json.text)).toMatchObject({ Quantity: 5, Price: 19.9, Place: ['A', 'B'] });
    }
    // As `curl -d` declares every body.
    const curl = await post(`${at}/GetStock`, 'application/x-www-form-urlencoded', ' {"Sku":"A"}');
    expect(JSON.parse(curl.text)).toMatchObject({ Quantity: 5 });
    const untyped = await fetch(`${at}/GetStock`, { method: 'POST', body: new TextEncoder().encode('{"Sku":"A"}') });
    expect(await untyped.json()).toMatchObject({ Quantity: 5 });
    const broken = await post(`${at}/GetStock`, 'application/x-www-form-urlencoded', '{"Sku":"A"');
    expect([broken.status, broken.text]).toEqual([400, expect.stringContaining('errorCode=702')]);
    const form = await post(`${at}/GetStock`, 'application/x-www-form-urlencoded', 'Sku=A');
    expect([...new URLSearchParams(form.text).entries()]).toEqual(
      expect.arrayContaining([
        ['Quantity', '5'],
        ['Price', '19.9'],
      ]),
    );
    const soap11 = await post(at, 'text/xml', envelope('http://schemas.xmlsoap.org/soap/envelope/'));
    expect(soap11.text).toMatch(soapAnswer);
    const soap12 = await post(at, 'application/soap+xml', envelope('http://www.w3.org/2003/05/soap-envelope'));
    expect(soap12.text).toMatch(soapAnswer);
    expect(new Set(server.calls().map(({ action }) => action))).toEqual(new Set(['"urn:example:stock#GetStock"']));
    // The store is in the folder, and nothing else is.
    expect(readdirSync(empty.path)).toEqual(['data']);
  });

  test('zeep and PHP call it by stubs of the WSDL that it serves', async () => {
    gateway = await serve(['--wsdl', server.wsdl], empty.path);
    const page = await (await fetch(gateway.callers, { headers: { Accept: 'text/html' } })).text();
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
    const served = links.find((each) => each.endsWith('?wsdl')) ?? '';
    const php = `$c = new SoapClient($argv[1], ['cache_wsdl' => WSDL_CACHE_NONE]); echo json_encode([$c->GetStock(['Sku' => 'A']), $c->AddStock(['Sku' => 'A', 'Quantity' => 2])]);`;
    const fromPhp = JSON.parse((await run('php', ['-r', php, '--', served])).stdout);
    expect(fromPhp).toMatchObject([{ Quantity: 5, Place: ['A', 'B'] }, { Quantity: 7 }]);
    const python = `import sys, zeep
client = zeep.Client(sys.argv[1])
answer = client.service.GetStock(Sku='A')
print(answer.Quantity, answer.Price, answer.Place, client.service.AddStock(Sku='A', Quantity=2))`;
    const fromZeep = (await run('/usr/bin/python3', ['-c', python, served])).stdout;
    expect(fromZeep.trim()).toBe("5 19.9 ['A', 'B'] 7");
    const documented = await fetch(links.find((each) => each.endsWith('openapi.json')) ?? '');
    const openApi = (await documented.json()) as { readonly paths: object };
    expect(Object.keys(openApi.paths)).toEqual(
      ['GetStock', 'AddStock'].map((each) => expect.stringMatching(`/v1/${each}$`)),
    );
    // The server behind the gateway may answer nothing that is valid.
    for (const item of Object.values(openApi.paths)) expect(item).toHaveProperty(['post', 'responses', '502']);
    expect(await (await fetch(`${gateway.callers}/openapi.json`)).json()).toEqual(openApi);
  });

  test('a write has its effect once, and the credential of the caller is forwarded', async () => {
    gateway = await serve(['--wsdl', server.wsdl, '--reads', 'get*'], empty.path);
    const at = `${gateway.callers}/${name === 'php' ? 'stock.php' : 'stock/service'}/AddStock`;
    const before = server.calls().length;
    const headers = { 'Idempotency-Key': 'one', 'X-API-Key': 'of-the-caller' };
    const first = await post(at, 'application/json', '{"Sku":"A","Quantity":3}', headers);
    const second = await post(at, 'application/json', '{"Sku":"A","Quantity":3}', headers);
    expect([first.text, second.text]).toEqual(['{"Quantity":8}', '{"Quantity":8}']);
    expect(server.calls().slice(before)).toEqual([{ action: '"urn:example:stock#AddStock"', key: 'of-the-caller' }]);
  });

  test('--require-credentials asks for stored ones, which the server does not get', async () => {
    gateway = await serve(['--wsdl', server.wsdl, '--require-credentials'], empty.path);
    await until('the calls', () => gateway?.received.stderr.includes('SOAP:') === true);
    const { callers, received } = gateway;
    const key = await printedKey({ received });
    const at = `${callers}/${name === 'php' ? 'stock.php' : 'stock/service'}/GetStock`;
    const before = server.calls().length;
    expect((await post(at, 'application/json', '{"Sku":"A"}')).status).toBe(401);
    expect((await post(at, 'application/json', '{"Sku":"A"}', { 'X-API-Key': key })).status).toBe(200);
    for (const command of printedCalls(received.stderr))
      expect((await run('sh', ['-c', command])).stdout).toMatch(/"Quantity":5,|Quantity=5&|<Quantity>5</);
    expect(server.calls().length).toBe(before + 4);
    expect(server.calls().at(-1)?.key ?? undefined).toBeUndefined();
  });

  test('--save writes a project to go on from, in a folder made by npm init', async () => {
    await run('npm', ['init', '-y'], { cwd: empty.path });
    gateway = await serve(['--wsdl', server.wsdl, '--reads', 'get*', '--save', '.'], empty.path);
    await until('the introduction', () => gateway?.received.stderr.includes('go on from there') === true);
    expect(gateway.received.stderr).toContain(`\`triglyph serve\` in ${realpathSync(empty.path)}.`);
    await gateway.stop();
    expect(readdirSync(empty.path).toSorted()).toEqual([
      '.gitignore',
      'contract.ts',
      'data',
      'package.json',
      'triglyph.config.ts',
    ]);
    gateway = await serve([], empty.path);
    const { callers } = gateway;
    const at = `${callers}/${name === 'php' ? 'stock.php' : 'stock/service'}/GetStock`;
    expect(await post(at, 'application/json', '{"Sku":"A"}')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"Quantity":5'),
    });
    await gateway.stop();
    const again = await spawnTriglyph(['serve', '--wsdl', server.wsdl], empty.path);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('triglyph.config.ts of this folder says what is served'),
    });
  });
});

describe('a document behind HTTP Basic and an authority of its own', () => {
  const folder = tempFolder();
  const openapi = {
    ...{ openapi: '3.1.0', info: { title: 'Stock', version: '1' }, servers: [{ url: '/api' }] },
    paths: { '/stock': { $ref: 'paths.json' } },
  };
  const paths = { get: { operationId: 'getStock', responses: { 200: { description: 'Stock' } } } };
  const documents: Record<string, string> = {
    '/stock.wsdl': wsdl,
    '/openapi.json': JSON.stringify(openapi),
    '/paths.json': JSON.stringify(paths),
  };
  let server: Server;
  let origin: string;
  let authority: string;
  beforeAll(async () => {
    const root = createCertificate(folder.path, 'root');
    const { cert, key } = createCertificate(folder.path, 'server', root);
    authority = root.cert;
    server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, ({ url, headers }, response) => {
      const isKnown = headers.authorization === `Basic ${Buffer.from('anna:canary/1').toString('base64')}`;
      const text = documents[url ?? '']?.replace(address, `${origin}/stock/service`);
      response.writeHead(isKnown ? 200 : 401).end(isKnown ? text : '');
    });
    origin = `https://localhost:${await listenLocally(server)}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    folder.discard();
  });

  test.each(['--wsdl=/stock.wsdl', '--openapi=/openapi.json'])(
    '%s: is served and saved without them',
    async (option) => {
      const [name = '', path = ''] = option.split('=');
      const at = `${origin.replace('//', '//anna:canary%2F1@')}${path}`;
      const saved = join(folder.path, name);
      const gateway = await serve([name, at, '--save', saved], folder.path, { NODE_EXTRA_CA_CERTS: authority });
      await until('the calls', () => gateway.received.stderr.includes('SOAP:'));
      await gateway.stop();
      const { stdout, stderr } = gateway.received;
      const files = readdirSync(saved, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      const texts = files.map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
      expect(stderr).toContain(`Serving ${origin}${path}, answered by ${origin}/`);
      expect([stdout, stderr, ...texts].join('')).not.toMatch(/canary|anna/);

      for (const [url, variables, reason] of [
        [at, {}, 'NODE_EXTRA_CA_CERTS names a file'],
        [
          `${origin}${path}`,
          { NODE_EXTRA_CA_CERTS: authority },
          'answers with 401: give those of HTTP Basic in its URL',
        ],
      ] as const) {
        const refused = await spawnTriglyph(['mock', name, url], folder.path, variables);
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
        expect(refused.stderr).not.toMatch(/canary|anna/);
      }
    },
  );

  test('is imported with --allow-network, and not named without it', async () => {
    const at = `${origin.replace('//', '//anna:canary%2F1@')}/stock.wsdl`;
    const variables = { NODE_EXTRA_CA_CERTS: authority };
    const refused = await spawnTriglyph(['import-wsdl', at], folder.path, variables);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${origin}/stock.wsdl is on the network`),
    });
    expect(refused.stderr).not.toMatch(/canary|anna/);
    const { code, stdout, stderr } = await spawnTriglyph(
      ['import-wsdl', at, '--allow-network'],
      folder.path,
      variables,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('GetStock') });
    expect(`${stdout}${stderr}`).not.toMatch(/canary|anna/);
  });
});

describe('a document that is not to be trusted', () => {
  let folder: TempFolder;
  beforeEach(() => {
    folder = tempFolder();
  });
  afterEach(() => folder.discard());
  const write = (text: string): void => writeFileSync(join(folder.path, 'stock.wsdl'), text);

  test('its characters do not control the terminal, and its texts are no code of what is saved', async () => {
    const hostile = "http://stock.example/a'); process.exit(7); ('\u202e\u009b2J";
    write(
      wsdl
        .replace(address, hostile.replaceAll("'", '&apos;'))
        .replace(
          'name="Sku" type="xs:string"/>',
          'name="Sku"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="\u202ea&apos;; exit 9"/></xs:restriction></xs:simpleType></xs:element>',
        ),
    );
    const gateway = await serve(['--wsdl', 'stock.wsdl', '--save', 'saved'], folder.path);
    await until('the calls', () => gateway.received.stderr.includes('SOAP:'));
    await gateway.stop();
    expect(gateway.received.stderr).not.toMatch(/[\u009b\u202e]/);
    expect(gateway.received.stderr).toContain('\\u202ea');
    const checked = await spawnTriglyph(['check'], join(folder.path, 'saved'));
    expect(checked.stdout).toContain('upstream upstream');
    expect(checked.code).not.toBe(7);
  });

  test.each([
    ['link-local', 'http://169.254.169.254/latest', 'means another server'],
    ['none', '', 'has no address'],
    ['no URL', 'stock', 'is no address'],
  ])('an address that is %s needs --upstream', async (_, location, reason) => {
    write(wsdl.replace(address, location));
    const { code, stderr } = await spawnTriglyph(['serve', '--wsdl', 'stock.wsdl'], folder.path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) });
    expect(stderr).toContain('--upstream');
    const gateway = await serve(['--wsdl', 'stock.wsdl', '--upstream', 'http://127.0.0.1:1/stock'], folder.path);
    await gateway.stop();
  });
});
