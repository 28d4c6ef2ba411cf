/** Three services that are imported from documents, each with a server that counts its effects. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { ownDocument } from './corpus.ts';
import { listenLocally } from './listen-locally.ts';

/** A service as its document describes it, and requests of one operation that writes. */
export interface ImportedService {
  readonly title: string;
  /** The options of `serve` that name the document. */
  readonly parameters: readonly string[];
  readonly service: string;
  readonly operation: string;
  /** In JSON. `other`: another request, for the same key. */
  readonly input: object;
  readonly other: object;
  /** What the answer has in every format. */
  readonly answered: string;
  /** A request with a wrong value, and the names of its field by format. */
  readonly wrong: object;
  readonly wrongNames: Readonly<Record<'json' | 'form' | 'soap11', string>>;
  /** How an operator settles the request: the answer as JSON. */
  readonly settled: object;
  readonly answer: { readonly type: string; readonly body: string };
}

const envelope = (content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body>${content}</s:Body></s:Envelope>`;

const entry = (id: string, amount: string | number) => ({ 'entry-id': id, amount, memo: 'Zoë <&>' });

export const importedServices: readonly ImportedService[] = [
  {
    title: 'rpc/encoded with headers',
    parameters: ['--wsdl', ownDocument('ledger.wsdl'), '--reads', 'list*'],
    service: 'Ledger',
    operation: 'Post',
    input: { book: 'main', entries: [entry('a-1', 1.5), entry('a-2', 2)], soapHeaders: { Session: { token: 't-7' } } },
    other: { book: 'other', entries: [entry('a-1', 1.5)] },
    answered: '3.5',
    wrong: { book: 'main', entries: [entry('a-1', 1), entry('a-2', 'much')] },
    wrongNames: { json: '/entries/1/amount', form: 'entries.1.amount', soap11: 'Post/entries/item[2]/amount' },
    settled: { balance: 3.5 },
    answer: {
      type: 'text/xml',
      body: envelope('<m:PostResponse xmlns:m="urn:example:ledger"><balance>3.5</balance></m:PostResponse>'),
    },
  },
  {
    title: 'document/literal of WCF with inheritance',
    parameters: ['--wsdl', ownDocument('fleet.wsdl'), '--reads', 'get*'],
    service: 'FleetService',
    operation: 'Register',
    input: {
      vehicle: { xsiType: 'Truck', Id: 't-1', Load: 2.5, Trailer: { Id: 'inner', Tags: [{ value: 'x', lang: 'en' }] } },
    },
    other: { vehicle: { xsiType: 'Bus', Id: 't-1', Seats: 50 } },
    answered: 'registered-7',
    wrong: { vehicle: { xsiType: 'Truck', Trailer: { Wheels: 'many' } } },
    wrongNames: {
      json: '/vehicle/Trailer/Wheels',
      form: 'vehicle.Trailer.Wheels',
      soap11: 'Register/vehicle/Trailer/Wheels',
    },
    settled: { RegisterResult: { xsiType: 'Bus', Id: 'registered-7', Seats: 50 } },
    answer: {
      type: 'text/xml',
      body: envelope(
        '<RegisterResponse xmlns="http://tempuri.org/" xmlns:q="http://schemas.datacontract.org/2004/07/Fleet">' +
          '<RegisterResult xsi:type="q:Bus"><q:Id>registered-7</q:Id><q:Seats>50</q:Seats></RegisterResult></RegisterResponse>',
      ),
    },
  },
  {
    title: 'OpenAPI',
    parameters: ['--openapi', ownDocument('harbour.yaml')],
    service: 'Harbour',
    operation: 'addBoat',
    input: { name: 'Rex', pictures: ['http://photos.example/1'], flags: [{ id: 1, name: 'good' }], state: 'sold' },
    other: { name: 'Tom', pictures: ['http://photos.example/2'] },
    answered: 'Rex the 7th',
    wrong: { name: 'Rex', pictures: ['x'], flags: [{ id: 'one' }] },
    wrongNames: { json: '/flags/0/id', form: 'flags.0.id', soap11: 'addBoat/flags[1]/id' },
    settled: { name: 'Rex the 7th', pictures: ['http://photos.example/1'] },
    answer: { type: 'application/json', body: '{"id":7,"name":"Rex the 7th","pictures":["http://photos.example/1"]}' },
  },
];

/** The server behind the gateway. */
export interface CountingServer {
  readonly url: string;
  /** The bodies of its requests. */
  readonly bodies: readonly string[];
  /** From now on, it executes requests and answers none. */
  hold(): void;
  release(): void;
  stop(): void;
}

export async function startCountingServer({ answer }: ImportedService): Promise<CountingServer> {
  const bodies: string[] = [];
  const held: ServerResponse[] = [];
  let holds = false;
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    bodies.push(body);
    if (holds) held.push(response);
    else response.writeHead(200, { 'Content-Type': answer.type }).end(answer.body);
  });
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    bodies,
    hold() {
      holds = true;
    },
    release() {
      holds = false;
      for (const each of held.splice(0)) each.destroy();
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
