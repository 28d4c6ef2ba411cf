/** The three calls that the demo prints: the same question in each script, written by the protocols themselves. */

import type { Input } from '../../contract/operation.ts';
import type { Protocols } from '../../formats/index.ts';
import type { ProtocolName } from '../../formats/protocol.ts';
import { listRecurringDetails, recurringV25 } from '../../services/recurring/v25.ts';
import { demoCredentials } from './published.ts';

const input: Input<typeof listRecurringDetails> = {
  merchantAccount: 'DemoMerchant',
  recurring: { contract: ['ONECLICK'] },
  shopperReference: 'shopper-1',
};

const scripts: Readonly<Record<string, ProtocolName>> = Object.freeze({ SOAP: 'soap11', JSON: 'json', FORM: 'form' });

/** One word of a shell, whatever stands in it. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const authorisation = (protocol: ProtocolName): string => {
  const kind = protocol === 'json' ? 'apiKey' : 'basic';
  const { shown } = demoCredentials.find(
    (each) => each.company === 'Demo' && each.balancePlatform === undefined && each.shown.kind === kind,
  )!;
  return shown.kind === 'basic'
    ? `-u ${quote(`${shown.username}:${shown.secret}`)}`
    : `-H ${quote(`X-API-Key: ${shown.secret}`)}`;
};

/** Each with the name of its script. */
export const calls = (protocols: Protocols, callers: string): readonly (readonly [string, string])[] =>
  Object.entries(scripts).map(([script, name]) => {
    const { path, contentType, body } = protocols[name].encodeRequest(recurringV25, listRecurringDetails, input);
    const head = `curl -sS ${authorisation(name)} -H ${quote(`Content-Type: ${contentType}`)}`;
    return [script, `${head} \\\n  --data-binary ${quote(body)} \\\n  ${quote(callers + path)}`] as const;
  });
