/** Changes drafts, and packs texts for the way to the server. */
import type { Draft, DraftObject } from './types.tsx';

export function isObject(draft: Draft | undefined): draft is DraftObject {
  return typeof draft === 'object' && !Array.isArray(draft);
}

export function isList(draft: Draft | undefined): draft is readonly Draft[] {
  return Array.isArray(draft);
}

export function withMember(draft: DraftObject, name: string, value: Draft | undefined): DraftObject {
  const others = Object.entries(draft).filter(([each]) => each !== name);
  if (value === undefined) return Object.fromEntries(others);
  if (!Object.hasOwn(draft, name)) return Object.fromEntries([...others, [name, value]]);
  return Object.fromEntries(Object.entries(draft).map(([each, before]) => [each, each === name ? value : before]));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: texts of XML, and the fields of the service, have none of them.
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** A text that a field of the service cannot have goes as base64. */
export function packed(text: string): { readonly text: string; readonly isBase64?: true } {
  if (!unprintable.test(text) && text.isWellFormed()) return { text };
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { text: btoa(binary), isBase64: true };
}

/** `crypto.randomUUID` is for pages from HTTPS and localhost. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
}
