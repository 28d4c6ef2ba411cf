/** Starts a production server that delivers webhooks, with its commands and subscribed companies. */

import type { Backend } from '../../src/backend/backend.ts';
import { balancePlatform as balancePlatforms } from '../../src/payments/balance-platform/index.ts';
import { recurring } from '../../src/payments/recurring/index.ts';
import { triglyph, type Variables } from './commands.ts';
import { ask, basic, prepareProduction, type Server, startServer } from './server.ts';
import { openBuiltIn, readConfig } from './services.ts';
import { tempFolder } from './temp-folder.ts';

/** An endpoint's id, and the key under which it is signed. */
export interface Listening {
  readonly id: string;
  readonly key: string;
}

/** A company with one merchant account, `<company>Web`, and a credential for it. */
export interface Shop {
  listen(url: string, format?: string): Promise<Listening>;
  /** Calls an operation, which must succeed; returns its response. */
  call(operation: string, input: object, headers?: Variables): Promise<Record<string, string>>;
}

export interface WebhookServer {
  readonly server: Server;
  /** The same store as the server's. */
  readonly backend: Backend;
  /** Returns the output of `triglyph webhooks …`; rejects where it fails or writes to standard error. */
  webhooks(...parameters: string[]): Promise<string>;
  listen(company: string, url: string, format?: string): Promise<Listening>;
  openShop(company: string): Promise<Shop>;
  /** Creates a balance platform for a company; returns an API key for it. */
  openPlatform(company: string, balancePlatform: string): Promise<string>;
  close(): Promise<void>;
}

export const startWebhookServer = async (also: Variables): Promise<WebhookServer> => {
  const folder = tempFolder();
  const { variables } = await prepareProduction(folder.path, also);
  const server = await startServer('serve', folder.path, variables);
  const backend = await openBuiltIn(readConfig('production', variables), { exclusive: false });
  const webhooks = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(['webhooks', ...parameters], folder.path, variables);
    if (code !== 0 || stderr !== '') throw new Error(`webhooks ${parameters.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const listen = async (company: string, url: string, format = 'tokenization'): Promise<Listening> =>
    JSON.parse(await webhooks('endpoint', 'add', company, url, '--format', format, '--json'));
  return {
    server,
    backend,
    webhooks,
    listen,
    async openShop(company) {
      const merchantAccount = `${company}Web`;
      await recurring.sharedIn(backend).registry.addMerchantAccount(company, merchantAccount);
      const wanted = {
        tenant: company,
        kind: 'basic',
        roles: ['recurring'],
        grants: { merchantAccount: [merchantAccount] },
      } as const;
      const { username, secret } = await backend.registry.addCredential(wanted);
      return {
        listen: (url, format) => listen(company, url, format),
        async call(operation, input, headers) {
          const given = { merchantAccount, ...input };
          const { status, answer } = await ask(server.callers, operation, given, basic(username!, secret), headers);
          if (status !== 200) throw new Error(`${operation} was answered ${status}: ${JSON.stringify(answer)}`);
          return answer as Record<string, string>;
        },
      };
    },
    async openPlatform(company, balancePlatform) {
      await balancePlatforms
        .sharedIn(backend)
        .registry.saveBalancePlatform({ id: balancePlatform, company, status: 'Active', timeZone: 'UTC' });
      const wanted = { tenant: company, kind: 'apiKey', roles: ['balancePlatform'] } as const;
      return (await backend.registry.addCredential({ ...wanted, grants: { balancePlatform: [balancePlatform] } }))
        .secret;
    },
    async close() {
      await backend.close();
      await server.stop();
      folder.discard();
    },
  };
};

/** The input of a `storeToken`; `more` changes its card. */
export const tokenOf = (shopperReference: string, more: object = {}) => ({
  card: { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk', ...more },
  recurring: { contract: 'RECURRING' },
  shopperReference,
});
