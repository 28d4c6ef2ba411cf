/** A peer: Fastify with a schema of the request answers JSON from memory. For measurements on loopback only. */
import { fastify } from 'fastify';
import { answersOf } from './answers.ts';

interface Listing {
  readonly merchantAccount: string;
  readonly shopperReference: string;
}

const known = answersOf('json');
const app = fastify();
const text = { type: 'string' };
const body = {
  type: 'object',
  required: ['merchantAccount', 'shopperReference'],
  properties: { merchantAccount: text, shopperReference: text },
};
app.post<{ Body: Listing }>(
  '/pal/servlet/Recurring/v25/listRecurringDetails',
  { schema: { body } },
  (request) => known.get(request.body.shopperReference) ?? {},
);
app.get('/ready', () => 'ready');
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit());
