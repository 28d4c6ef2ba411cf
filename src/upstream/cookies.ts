/** The cookies of a session at an upstream (RFC 6265), which are sent back to this upstream only. */

const cookiesMax = 20;
const lengthMax = 4_096;
const pairPattern = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("?[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*"?)\s*$/;

/** Sets the cookies of an answer, and deletes those that it ends. `lines`: of Set-Cookie, with line breaks between. What is no cookie is ignored. */
export function readCookies(lines: string | undefined, cookies: Map<string, string>): void {
  for (const line of lines?.split('\n') ?? []) {
    const [pair = '', ...attributes] = line.split(';');
    const [, name, value] = pairPattern.exec(pair) ?? [];
    if (name === undefined || value === undefined || pair.length > lengthMax) continue;
    cookies.delete(name);
    if (!isOver(attributes) && cookies.size < cookiesMax) cookies.set(name, value);
  }
}

/** Returns undefined where there are none. */
export function cookieHeader(cookies: ReadonlyMap<string, string>): string | undefined {
  return cookies.size === 0 ? undefined : [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Max-Age comes before Expires (RFC 6265, section 5.3). */
function isOver(attributes: readonly string[]): boolean {
  const textOf = (name: string) =>
    attributes
      .map((each) => each.trim())
      .find((each) => each.toLowerCase().startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const maxAge = textOf('max-age');
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  return Date.parse(textOf('expires') ?? '') <= Date.now();
}
