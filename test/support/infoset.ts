/** The content of an XML document without its prefixes and namespace declarations, for comparisons. Parses with saxes alone. */
import { SaxesParser } from 'saxes';

const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

/** One line for each start tag, text and end tag. Equal for documents of one infoset, whatever their prefixes. */
export function infosetOf(xml: string): string {
  const lines: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (fault) => {
    throw fault;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const written = Object.values(attributes)
      .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
      .map(({ uri, local, value }) => ` {${uri}}${local}=${uri === xsi && local === 'type' ? resolve(value) : value}`);
    lines.push(`<{${uri}}${local}${written.sort().join('')}>`);
  });
  parser.on('text', (text) => lines.push(JSON.stringify(text)));
  parser.on('closetag', () => lines.push('</>'));
  // The value of xsi:type is a name with a prefix of its own.
  const resolve = (name: string): string => {
    const [prefix = '', local] = name.includes(':') ? name.split(':') : ['', name];
    return `{${parser.resolve(prefix)}}${local}`;
  };
  parser.write(xml).close();
  return lines.join('\n');
}
