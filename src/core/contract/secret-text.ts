/** Recognizes secrets by the names of members and headers, and masks those in texts of any kind. */
import { cardNumberDetector } from './card-numbers.ts';

/** Words of names of secrets: `userPassword`, `cvc2`, `X-Access-Token`. */
const words: ReadonlySet<string> = new Set([
  ...[
    'password',
    'passwords',
    'passwd',
    'pwd',
    'passphrase',
    'passcode',
    'pin',
    'pincode',
    'otp',
    'totp',
    'apikey',
    'jwt',
  ],
  ...['cvv', 'cvv2', 'cvc', 'cvc2', 'cvn', 'csc', 'secret', 'secrets', 'token', 'tokens', 'credential', 'credentials'],
]);
/** The same, of several words. */
const phrases =
  /\b(?:(?:api|private|secret|access|signing|encryption|session) keys?|(?:session|jsession|php sess) ?id|security code|card number|verification (?:value|code)|one time (?:code|key)|recovery codes?|authorization code|track (?:1|2|data))\b/;
/** Words at the end of names that say something about a secret: `tokenType`, `pinLength`. */
const aboutSecrets =
  /^(?:type|policy|length|count|name|status|expir(?:y|es|ation)|at|date|in|enabled|required|format|version|kind|mode|algorithm|method|ttl|lifetime|size|limit|attempts|description|label)$/;
/** Names without separators: `accesstoken`. */
const joinedNames = /(?:password|passwd|passphrase|secret|token|apikey|privatekey|sessionid|cardnumber)$/;
/** Words of headers, cookies and parameters that hold credentials. */
const credentialWords: ReadonlySet<string> = new Set([
  ...['auth', 'authorization', 'authentication', 'cookie', 'session', 'sid', 'key', 'bearer', 'signature', 'sessid'],
]);

/**
 * Whether a member of this name holds a secret: by whole words of names in camel, snake and kebab case. `isCredential`: of a header, a
 * cookie or a parameter of the query.
 */
export function isSecretName(name: string, isCredential = false): boolean {
  if (name.length > 200) return false;
  const parts = name
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
  if (parts.length > 1 && aboutSecrets.test(parts.at(-1) ?? '')) return false;
  return (
    parts.some((part) => words.has(part) || joinedNames.test(part) || (isCredential && credentialWords.has(part))) ||
    phrases.test(parts.join(' '))
  );
}

/** What stands for a secret in a text. */
const hidden = '***';
/** `name="value"` and `name=value`. Names begin where words do, so that no search is tried twice. */
const pairs = /(?<![\p{L}\p{N}_.-])([\p{L}\p{N}_.-]{1,100})=("[^"<]*"|[^\s&"'<>;,]+)/gu;
const elements = /(<(?:[\p{L}\p{N}_.-]{1,100}:)?([\p{L}\p{N}_.-]{1,100})(?:\s[^<>]*)?>)[^<]+(?=<\/)/gu;

/**
 * Masks the secrets in a text whose schema says nothing about them: card numbers, and values under names of secrets, also in JSON, XML and
 * the pairs of a query. `name`: of the entry of a map.
 */
export function maskText(text: string, name?: string): string {
  if (name !== undefined && isSecretName(name)) return hidden;
  return cardNumberDetector.mask(maskPairs(maskJson(text) ?? text));
}

/** Undefined for a text that is no JSON with parts. */
function maskJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    let isMasked = false;
    const masked = JSON.stringify(JSON.parse(text), (name, value: unknown) => {
      if (name === '' || value === null || typeof value === 'boolean' || !isSecretName(name)) return value;
      isMasked = true;
      return hidden;
    });
    return isMasked ? masked : undefined;
  } catch (thrown) {
    // A RangeError: too many levels.
    return thrown instanceof SyntaxError ? undefined : hidden;
  }
}

function maskPairs(text: string): string {
  if (!text.includes('=') && !text.includes('<')) return text;
  return text
    .replace(pairs, (all, name: string) => (isSecretName(name, true) ? `${name}=${hidden}` : all))
    .replace(elements, (all, start: string, name: string) => (isSecretName(name) ? `${start}${hidden}` : all));
}

/** Whether a number may be that of a card. */
export function isCardNumber(value: unknown): boolean {
  return cardNumberDetector.detects(String(value));
}
