/** Creates a balance platform and its credential by command, and one balance account by API calls. */
import { triglyph } from './commands.ts';
import { basic, type Production, startServer } from './server.ts';

export interface ProductionPlatform {
  /** The Authorization header of its credential. */
  readonly authorization: string;
  readonly balanceAccountId: string;
}

/** A response with its raw body. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a JSON request. `path` is relative to the address of the service. */
export const sendJson = async (
  callers: string,
  [method, path, body]: readonly [method: string, path: string, body: object],
  headers: Readonly<Record<string, string>>,
): Promise<RawResponse> => {
  const response = await fetch(`${callers}/bcl/v2${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Requires `prepareProduction`; starts a server for the calls and stops it. */
export const prepareProductionPlatform = async (
  folder: string,
  { variables }: Pick<Production, 'variables'>,
): Promise<ProductionPlatform> => {
  const done = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(['credential', ...parameters], folder, variables);
    if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  await done('balance-platform', 'add', 'Acme', 'AcmePlatform', '--time-zone', 'Europe/Amsterdam');
  const issued = await done('add', 'Acme', '--balance-platform', 'AcmePlatform', '--json');
  const { username, secret } = JSON.parse(issued);
  const authorization = basic(username, secret);
  const server = await startServer('serve', folder, variables);
  try {
    const made = async (path: string, body: object): Promise<string> => {
      const { status, text } = await sendJson(server.callers, ['POST', path, body], { Authorization: authorization });
      if (status !== 200) throw new Error(text);
      return JSON.parse(text).id;
    };
    const accountHolderId = await made('/accountHolders', { legalEntityId: 'LE1' });
    return { authorization, balanceAccountId: await made('/balanceAccounts', { accountHolderId }) };
  } finally {
    await server.stop();
  }
};
