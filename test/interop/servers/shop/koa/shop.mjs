/** The shop in Koa. `DOCUMENT=file PORT=8081 node shop.mjs`. With WRONG=1 every answer is wrong, as a control. */
import { readFileSync } from 'node:fs';
import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';

const items = [];
const isWrong = process.env.WRONG === '1';

const problem = (context, status, title, more) => {
  context.status = status;
  context.type = 'application/problem+json';
  context.body = JSON.stringify({ type: `/problems/${status}`, title, status, ...more });
};

const routes = {
  'GET /openapi.yaml'(context) {
    context.type = 'application/yaml';
    context.body = readFileSync(process.env.DOCUMENT, 'utf8');
  },
  'GET /items'(context) {
    const found = items.filter(({ name }) => name === context.query.name);
    context.set('X-Total', String(found.length));
    context.body = found;
  },
  'POST /items'(context) {
    const item = context.request.body;
    if (item.price < 0) return problem(context, 422, 'Refused', { detail: 'A price is not below 0' });
    items.push(item);
    context.status = 201;
    context.body = { serial: items.filter(({ name }) => name === item.name).length, item };
  },
  'GET /items/:id'(context, id) {
    if (id === 404) return problem(context, 404, 'Not Found', { detail: 'No such item', itemId: id });
    if (id === 500) context.throw(500, 'Out of order', { expose: true });
    context.body = {
      id,
      name: 'Zoë <&> "Ω"',
      price: 2.5,
      added: '2026-01-02T03:04:05Z',
      level: context.get('X-Level') || undefined,
      basket: context.cookies.get('basket'),
      field: [context.query.field ?? []].flat(),
    };
  },
  'DELETE /items/:id'(context) {
    context.status = 204;
  },
  'GET /items/:id/photo'(context) {
    context.type = 'image/png';
    context.body = Buffer.from([0x89, 0x50, 0, 0xff]);
  },
  async 'POST /items/:id/photo'(context) {
    const form = await new Response(context.req, {
      headers: { 'content-type': context.get('content-type') },
    }).formData();
    const bytes = Buffer.from(await form.get('photo').arrayBuffer());
    context.body = { caption: form.get('caption'), bytes: bytes.length, base64: bytes.toString('base64') };
  },
  'POST /search'(context) {
    const { word, limit = '1' } = context.request.body;
    context.body = Array.from({ length: Number(limit) }, (_, at) => `${word} ${at + 1}`);
  },
};

const wrong = (context) => {
  context.status = 200;
  context.type = 'application/json';
  context.body = JSON.stringify(
    context.method === 'GET' && context.path === '/items' ? [{ name: 'wrong', price: 7 }] : {},
  );
};

const app = new Koa({ proxy: true });
app.silent = true;
app.use(bodyParser());
app.use(async (context) => {
  const [, collection, id, part] = context.path.split('/');
  const path = [collection, id && ':id', part].filter(Boolean).join('/');
  const route = routes[`${context.method} /${path}`];
  if (route === undefined) return;
  if (isWrong && path !== 'openapi.yaml') return wrong(context);
  await route(context, Number(id));
});
app.listen(Number(process.env.PORT), '127.0.0.1');
