/** The code that the example tests are for: a client that cancels the subscriptions of a shopper. */
import { randomUUID } from 'node:crypto';

/** `fetch`, or the `fetch` of a gateway in the process of the test. */
export type Send = (request: Request) => Promise<Response>;

const attemptsMax = 3;

/** Returns whether the shopper had a subscription. An attempt whose answer is lost is repeated; the effect is not. */
export async function cancelSubscriptions(origin: string, shopper: string, send: Send): Promise<boolean> {
  const key = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const request = new Request(`${origin}/pal/servlet/Recurring/v25/disable`, {
      method: 'POST',
      headers: { 'x-api-key': 'demo-api-key', 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ merchantAccount: 'DemoMerchant', shopperReference: shopper, contract: 'RECURRING' }),
    });
    try {
      const response = await send(request);
      if (response.ok) return true;
      if (response.status === 422) return false;
    } catch (thrown) {
      if (attempt === attemptsMax) throw thrown;
      continue;
    }
    if (attempt === attemptsMax) throw new Error(`${shopper}: the subscriptions were not cancelled`);
  }
}
