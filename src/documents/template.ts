/** Documents with the address of the service in them: printed once, and filled in for each request. */
import { createHash } from 'node:crypto';

/** The place of the address. It has no character that XML, HTML or JSON escapes. */
export const placeholder = 'urn:address-of-the-service';

export interface Template {
  /** `address`: as the language of the document escapes it. */
  fill(address: string): string;
  /** Of the filled document: strong, quotes included. A document of hundreds of kilobytes is not hashed for each request. */
  etagOf(address: string): string;
}

/** `text` has the placeholder wherever the address belongs. */
export function createTemplate(text: string): Template {
  const parts = text.split(placeholder);
  const hash = hashOf(text).slice(0, 22);
  return Object.freeze<Template>({
    fill: (address) => parts.join(address),
    etagOf: (address) => `"${hash}-${hashOf(address).slice(0, 20)}"`,
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
