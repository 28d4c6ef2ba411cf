/** Escapes text for XML and replaces the characters that XML 1.0 excludes. */

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the last ones are the characters outside XML 1.0 Char
const specials = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
// Those characters, and surrogates, which may be unpaired.
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const suspect = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/;

/** For attribute values in double quotes: a parser would turn the characters of layout into blanks. */
export function escapeXmlAttribute(text: string): string {
  return escapeXml(text).replace(/[\t\n]/g, (sign) => (sign === '\t' ? '&#9;' : '&#10;'));
}

/** For element content, and for attribute values in double quotes without tabs and line breaks. Characters that XML excludes become U+FFFD. */
export function escapeXml(text: string): string {
  // Almost no value needs it, and a test costs less than a replacement.
  if (!suspect.test(text)) return text;
  return text.toWellFormed().replace(specials, (sign) => replacements[sign] ?? '\ufffd');
}
