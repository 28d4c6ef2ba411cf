/** A peer: bare Koa with @koa/bodyparser answers JSON, and pairs to FORM, from memory. For measurements on loopback only. */
import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';
import { answersOf, pairsOf } from './answers.ts';

const known = answersOf('json');
const knownPairs = new Map([...answersOf('form')].map(([reference, answer]) => [reference, pairsOf(answer)]));

const app = new Koa();
app.use(bodyParser());
app.use((context) => {
  const { shopperReference = '' } = (context.request.body ?? {}) as { readonly shopperReference?: string };
  if (context.request.is('urlencoded')) {
    context.type = 'application/x-www-form-urlencoded';
    context.body = new URLSearchParams(knownPairs.get(shopperReference)).toString();
  } else {
    context.body = known.get(shopperReference) ?? {};
  }
});
app.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
