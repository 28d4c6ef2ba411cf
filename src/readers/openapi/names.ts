/** Names that XML, FORM and generators of stubs can have, for those of a document that they cannot. */
import { capitalised } from '../../documents/index.ts';

const lengthMax = 100;

/** `pet-status` to `petStatus`; a name that fits stays. zeep cannot read a member called `self`. */
export function memberName(name: string): string {
  if (name === 'self') return 'self_';
  if (/^[A-Za-z_]\w*$/.test(name) && name.length <= lengthMax && !/^__proto__|^xml/i.test(name) && !isInherited(name))
    return name;
  const words = ascii(name.replace(/^\+/, 'plus ').replace(/^-(?=\d)/, 'minus '));
  const joined = words.map((word, at) => (at === 0 ? word : capitalised(word))).join('');
  const made = startingWithLetter(joined.replace(/^_+(?=proto__)/, ''), 'member').replace(/^xml/i, '_$&');
  return isInherited(made) ? `_${made}` : made;
}

/** Every object has a member of this name: an absent field would seem to be there. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** `pet_status-2` to `PetStatus2`. `first`: comes before a name that begins with a digit, of which stubs make no class. */
export function typeName(name: string, first = 'Type'): string {
  const words = ascii(name.replaceAll('_', ' '));
  return startingWithLetter(words.map(capitalised).join(''), first).replace(/^_(?=\d)|^(?=xml)/i, first);
}

/** The words of ASCII in a text; letters with marks lose them. */
function ascii(text: string): readonly string[] {
  return text
    .slice(0, 4 * lengthMax)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9_]+/)
    .filter((word) => word !== '');
}

function startingWithLetter(name: string, otherwise: string): string {
  const cut = name.slice(0, lengthMax);
  if (cut === '' || /^_*$/.test(cut)) return otherwise;
  return /^[A-Za-z_]/.test(cut) ? cut : `_${cut}`;
}
