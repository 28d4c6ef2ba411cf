/** Prints the reference page of the public API. */
import type { Declaration, EntryPoint } from './declarations.ts';

const introductions: Readonly<Record<string, string>> = {
  triglyph: 'A gateway inside a program.',
  'triglyph/contract': 'The contract language, for services of your own.',
  'triglyph/koa': 'Mounts a gateway in a Koa application.',
  'triglyph/testing': 'A gateway inside a test.',
};

export function printPage(entries: readonly EntryPoint[]): string {
  return `# API

\`npm run api\` generates this page from the declarations of the package. A test compares the two, so a change of the public API is a change of this page.

Declarations use the types of Node: TypeScript programs need \`@types/node\`. What an entry point does not export may change in any release.

${entries.map(section).join('\n')}`;
}

function section({ name, declarations }: EntryPoint): string {
  const own = declarations.filter(({ seeEntry }) => seeEntry === undefined).sort(byName);
  const others = declarations.filter(({ seeEntry }) => seeEntry !== undefined).sort(byName);
  const values = own.filter(({ isType }) => !isType);
  const types = own.filter(({ isType }) => isType);
  return [
    `## \`${name}\`\n`,
    `${introductions[name] ?? ''}\n`,
    ...[...values, ...types].map(entry),
    ...(others.length === 0 ? [] : [`Also exports ${others.map(reference).join(', ')}.\n`]),
  ].join('\n');
}

function entry({ name, doc, text }: Declaration): string {
  return `### \`${name}\`\n\n${doc.replaceAll('\n', ' ')}\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
}

const reference = ({ name, seeEntry }: Declaration): string => `\`${name}\` of \`${seeEntry}\``;

function byName(a: Declaration, b: Declaration): number {
  return a.name.localeCompare(b.name, 'en');
}
