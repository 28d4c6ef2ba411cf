/** Finds where a document says that clients get tokens for themselves. */
import type { OpenApiDocuments } from './documents.ts';

/** Returns the token endpoint of the first security scheme with client credentials (OAuth 2); undefined where there is none. */
export function tokenUrlOf(documents: OpenApiDocuments, isSwagger: boolean): string | undefined {
  const { root } = documents;
  const components = isSwagger ? root : documents.member(root, 'components');
  const schemes = components && documents.member(components, isSwagger ? 'securityDefinitions' : 'securitySchemes');
  return documents.members(schemes).flatMap(([, node]) => {
    const { type, flow, flows, tokenUrl } = Object(node.value) as Readonly<Record<string, unknown>>;
    if (type !== 'oauth2') return [];
    const found = isSwagger ? flow === 'application' && tokenUrl : Object(Object(flows).clientCredentials).tokenUrl;
    return typeof found === 'string' ? [found] : [];
  })[0];
}
