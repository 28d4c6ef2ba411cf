/** A server with the operations of the Petstore, in plain Node. It answers JSON alone, and knows nothing of a gateway. */
import { createServer } from 'node:http';

/** `received`: each request, for assertions. */
export function createPetstore() {
  const pets = new Map();
  const orders = new Map();
  const users = new Map();
  const received = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { method, headers } = request;
    const url = new URL(request.url, 'http://petstore');
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
    if (path === '/pet/findByStatus')
      return send(
        200,
        [...pets.values()].filter(({ status }) => status === url.searchParams.get('status')),
      );
    if (path === '/pet/findByTags') {
      const tags = url.searchParams.getAll('tags');
      return send(
        200,
        [...pets.values()].filter((pet) => pet.tags?.some(({ name }) => tags.includes(name))),
      );
    }
    if (action === 'uploadImage')
      return send(200, { code: bytes.length, type: headers['content-type'], message: bytes.toString('hex') });
    if (path === '/store/inventory')
      return send(
        200,
        Object.fromEntries(
          [...Map.groupBy(pets.values(), ({ status }) => status)].map(([status, all]) => [status, all.length]),
        ),
      );
    if (kind === 'store') {
      const number = Number(path.split('/')[3]);
      if (method === 'POST') {
        const order = json();
        orders.set(order.id, order);
        return send(200, order);
      }
      if (!orders.has(number)) return refuse(404, 'Order not found');
      if (method === 'GET') return send(200, orders.get(number));
      orders.delete(number);
      return send(200);
    }
    if (path === '/user/login')
      return send(200, `logged in user session:${url.searchParams.get('username')}`, { 'X-Rate-Limit': '5000' });
    if (path === '/user/logout') return send(200);
    if (path === '/user/createWithList') {
      const all = json();
      for (const user of all) users.set(user.username, user);
      return send(200, all.at(-1));
    }
    const store = kind === 'pet' ? pets : users;
    const key = kind === 'pet' ? Number(id) : id;
    if (route === 'POST pet' && id !== undefined) {
      if (!pets.has(key)) return refuse(404, 'Pet not found');
      pets.set(key, { ...pets.get(key), ...Object.fromEntries(url.searchParams) });
      return send(200, pets.get(key));
    }
    if (method === 'POST' || (method === 'PUT' && kind === 'pet')) {
      const value = json();
      if (kind === 'pet' && value.name === undefined) return refuse(422, 'A pet has a name');
      store.set(kind === 'pet' ? value.id : value.username, value);
      return send(200, value);
    }
    if (!store.has(key)) return refuse(404, kind === 'pet' ? 'Pet not found' : 'User not found');
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

if (process.argv[1] === import.meta.filename) createPetstore().server.listen(Number(process.env.PORT ?? 8081));
