/** A server with the operations of the harbour, in plain Node. It answers JSON alone, and knows nothing of a gateway. */
import { createServer } from 'node:http';

/** `received`: each request, for assertions. */
export function createHarbour() {
  const boats = new Map();
  const berths = new Map();
  const crew = new Map();
  const received = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { method, headers } = request;
    const url = new URL(request.url, 'http://harbour');
    received.push({ method, url: request.url, headers, body: bytes.toString() });
    // As Express with Helmet, and servers with a request id, answer.
    response.setHeader('X-Content-Type-Options', 'nosniff').setHeader('X-Request-Id', headers['x-request-id'] ?? 'own');
    const send = (status, body, more = {}) =>
      body === undefined
        ? response.writeHead(status, more).end()
        : response.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(body));
    const refuse = (status, message) => send(status, { code: String(status), message });
    const json = () => JSON.parse(bytes.toString());
    const path = url.pathname.replace(/^\/api\/v3/, '');
    const [, kind, id, action] = path.split('/');
    const route = `${method} ${kind}`;
    if (path === '/boat/inState')
      return send(
        200,
        [...boats.values()].filter(({ state }) => state === url.searchParams.get('state')),
      );
    if (path === '/boat/withFlags') {
      const flags = url.searchParams.getAll('flags');
      return send(
        200,
        [...boats.values()].filter((boat) => boat.flags?.some(({ name }) => flags.includes(name))),
      );
    }
    if (action === 'photo')
      return send(200, { code: bytes.length, type: headers['content-type'], message: bytes.toString('hex') });
    if (path === '/berth/count')
      return send(
        200,
        Object.fromEntries(
          [...Map.groupBy(boats.values(), ({ state }) => state)].map(([state, all]) => [state, all.length]),
        ),
      );
    if (kind === 'berth') {
      const number = Number(path.split('/')[3]);
      if (method === 'POST') {
        const berth = json();
        berths.set(berth.id, berth);
        return send(200, berth);
      }
      if (!berths.has(number)) return refuse(404, 'Berth not found');
      if (method === 'GET') return send(200, berths.get(number));
      berths.delete(number);
      return send(200);
    }
    if (path === '/crew/login')
      return send(200, `logged in: ${url.searchParams.get('name')}`, { 'X-Rate-Limit': '5000' });
    if (path === '/crew/logout') return send(200);
    if (path === '/crew/list') {
      const all = json();
      for (const sailor of all) crew.set(sailor.name, sailor);
      return send(200, all.at(-1));
    }
    const store = kind === 'boat' ? boats : crew;
    const key = kind === 'boat' ? Number(id) : id;
    if (route === 'POST boat' && id !== undefined) {
      if (!boats.has(key)) return refuse(404, 'Boat not found');
      boats.set(key, { ...boats.get(key), ...Object.fromEntries(url.searchParams) });
      return send(200, boats.get(key));
    }
    if (method === 'POST' || (method === 'PUT' && kind === 'boat')) {
      const value = json();
      if (kind === 'boat' && value.name === undefined) return refuse(422, 'A boat has a name');
      store.set(kind === 'boat' ? value.id : value.name, value);
      return send(200, value);
    }
    if (!store.has(key)) return refuse(404, kind === 'boat' ? 'Boat not found' : 'Sailor not found');
    if (method === 'GET') return send(200, store.get(key));
    if (method === 'PUT') {
      store.set(key, json());
      return send(200);
    }
    if (method === 'DELETE') {
      store.delete(key);
      return send(200);
    }
    return refuse(405, 'No such operation');
  });
  return { server, received };
}

if (process.argv[1] === import.meta.filename) createHarbour().server.listen(Number(process.env.PORT ?? 8081));
