/** A peer: bare Koa with @koa/bodyparser answers JSON from memory. For measurements on loopback only. */
import { readFileSync } from 'node:fs';
import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';

const known = new Map(
  Object.entries(JSON.parse(readFileSync(process.env.SHOPPERS!, 'utf8')) as Record<string, object>),
);

const app = new Koa();
app.use(bodyParser());
app.use((context) => {
  const { shopperReference } = (context.request.body ?? {}) as { readonly shopperReference?: string };
  context.body = known.get(shopperReference ?? '') ?? {};
});
app.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
