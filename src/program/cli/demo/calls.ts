/** The calls that the demo prints: the same request in three wire formats, as curl commands. */

import { quote } from '../../../convert/index.ts';
import type { Input } from '../../../core/contract/index.ts';
import type { ProtocolName, Protocols } from '../../../core/formats/index.ts';
import { listRecurringDetails, recurringV25 } from '../../../payments/index.ts';
import { demoCredentials } from '../../testing/demo/published.ts';

interface SampleCall {
  readonly format: string;
  readonly command: string;
}

/** `certificate`: the file that curl trusts. */
export function sampleCalls(
  protocols: Protocols,
  callers: string,
  certificate: string | undefined,
): readonly SampleCall[] {
  return Object.entries(formats).map(([format, name]) => {
    const { path, contentType, body } = protocols[name].encodeRequest(recurringV25, listRecurringDetails, input);
    const trust = certificate === undefined ? '' : `--cacert ${quote(certificate)} `;
    const options = `${trust}${credentialOption(name)} -H ${quote(`Content-Type: ${contentType}`)}`;
    const command = `curl -sS ${options} \\\n  --data-binary ${quote(body)} \\\n  ${quote(callers + path)}`;
    return { format, command };
  });
}

const formats: Readonly<Record<string, ProtocolName>> = Object.freeze({ SOAP: 'soap11', JSON: 'json', FORM: 'form' });

const input: Input<typeof listRecurringDetails> = {
  merchantAccount: 'DemoMerchant',
  recurring: { contract: ['ONECLICK'] },
  shopperReference: 'shopper-1',
};

function credentialOption(name: ProtocolName): string {
  const kind = name === 'json' ? 'apiKey' : 'basic';
  const { presented } = demoCredentials.find(
    (each) => each.company === 'Demo' && each.balancePlatform === undefined && each.presented.kind === kind,
  )!;
  return presented.kind === 'basic'
    ? `-u ${quote(`${presented.username}:${presented.secret}`)}`
    : `-H ${quote(`X-API-Key: ${presented.secret}`)}`;
}
