/** Reads where the server of a document is, and where it reads credentials. */
import { type CredentialPlace, isOwnHeader, type Service } from '../../core/contract/index.ts';
import type { Node, OpenApiDocuments } from './documents.ts';
import type { OpenApiFindings } from './findings.ts';

/** Where the server reads credentials: its security schemes. Callers present them there, or in X-API-Key, or in HTTP Basic. */
export function credentialsOf(
  documents: OpenApiDocuments,
  findings: OpenApiFindings,
  isSwagger: boolean,
): Pick<Service, 'credentials'> {
  const places: CredentialPlace[] = [];
  let takesBasic = false;
  for (const node of securitySchemes(documents, isSwagger)) {
    const { type, in: location, name, scheme } = Object(node.value) as Readonly<Record<string, unknown>>;
    const lower = String(scheme).toLowerCase();
    if (type === 'basic' || (type === 'http' && lower === 'basic')) takesBasic = true;
    else if (
      type === 'apiKey' &&
      typeof name === 'string' &&
      (location === 'query' || location === 'header' || location === 'cookie')
    ) {
      if (location === 'header' && /^authorization$/i.test(name)) continue;
      if (location === 'header' && !isOwnHeader(name))
        findings.add('refused', node, `the gateway sends the header ${name} itself`);
      else if (!/^[\w.-]+$/.test(name)) findings.add('refused', node, 'a credential has a name that is not sent');
      else if (!places.some((each) => each.in === location && each.name === name)) places.push({ in: location, name });
    } else if (type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && lower === 'bearer')) {
      if (!places.some((each) => each.in === 'bearer')) places.push({ in: 'bearer' });
    } else
      findings.add('refused', node, 'no credential of this kind is sent by the gateway; Authorization is passed on');
  }
  if (places.length === 0) return {};
  return { credentials: { places, ...(takesBasic && { basic: true as const }) } };
}

/** The first server, with the defaults of its variables; empty where there is none. */
export function serverOf(documents: OpenApiDocuments): string {
  const { root } = documents;
  const servers = documents.member(root, 'servers');
  const server = servers && documents.member(servers, 0);
  const url = server && documents.member(server, 'url')?.value;
  // The default of the specification.
  if (typeof url !== 'string') return resolved('/', root.url);
  const variables = server && documents.member(server, 'variables');
  const filled = url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = variables && documents.member(variables, name);
    const preset = variable && documents.member(variable, 'default')?.value;
    return preset === undefined ? whole : String(preset);
  });
  return resolved(filled, root.url);
}

/** The server of a document of Swagger 2.0; a path alone where the document names none. */
export function swaggerServer(documents: OpenApiDocuments): string {
  const { host, basePath = '/', schemes } = documents.root.value as Readonly<Record<string, unknown>>;
  const path = typeof basePath === 'string' ? basePath : '/';
  if (typeof host !== 'string') return resolved(path, documents.root.url);
  const all = Array.isArray(schemes) ? schemes : [];
  const scheme = all.includes('https') || !all.includes('http') ? 'https' : 'http';
  return resolved(`${scheme}://${host}${path.startsWith('/') ? '' : '/'}${path}`, documents.root.url);
}

/** An address without a server is at that of the document; of a file it is a path alone. */
function resolved(url: string, document: string): string {
  if (/^https?:\/\//i.test(url)) return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : '';
  if (/^https?:/.test(document) && URL.canParse(url, document)) return new URL(url, document).href.replace(/\/$/, '');
  return url.startsWith('/') ? url.replace(/\/$/, '') : '';
}

/** Returns the token endpoint of the first security scheme with client credentials (OAuth 2); undefined where there is none. */
export function tokenUrlOf(documents: OpenApiDocuments, isSwagger: boolean): string | undefined {
  return securitySchemes(documents, isSwagger).flatMap((node) => {
    const { type, flow, flows, tokenUrl } = Object(node.value) as Readonly<Record<string, unknown>>;
    if (type !== 'oauth2') return [];
    const found = isSwagger ? flow === 'application' && tokenUrl : Object(Object(flows).clientCredentials).tokenUrl;
    return typeof found === 'string' ? [found] : [];
  })[0];
}

function securitySchemes(documents: OpenApiDocuments, isSwagger: boolean): readonly Node[] {
  const { root } = documents;
  const components = isSwagger ? root : documents.member(root, 'components');
  const schemes = components && documents.member(components, isSwagger ? 'securityDefinitions' : 'securitySchemes');
  return documents.members(schemes).map(([, node]) => node);
}
