/** Text on its way into XML: escaped, and free of what XML 1.0 cannot carry. */

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the last ones are the characters outside XML 1.0 Char
const special = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const specials = new RegExp(special, 'g');

/** For element content and for attribute values in double quotes; what XML cannot carry becomes U+FFFD. */
export const escapeXml = (text: string): string => {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  // Almost every value is plain, and a test costs less than a replacement.
  return special.test(whole) ? whole.replace(specials, (sign) => replacements[sign] ?? '\ufffd') : whole;
};
