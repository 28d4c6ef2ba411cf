/** Saves sourced contracts as a project to go on from. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { ContractSource } from './source.ts';
import type { SourcedUpstreams } from './upstreams.ts';

/** Writes `contract.ts` and `triglyph.config.ts`. Throws CommandError rather than change a file. */
export function saveProject(folder: string, source: ContractSource, upstreams: SourcedUpstreams): readonly string[] {
  const texts = { 'contract.ts': source.text(), 'triglyph.config.ts': configOf(source, upstreams) };
  const files = Object.entries(texts).map(([name, text]) => [join(folder, name), text] as const);
  const changed = files.filter(([path, text]) => existsSync(path) && readFileSync(path, 'utf8') !== text);
  if (changed.length > 0)
    throw new CommandError(
      changed.map(([path]) => `${path} is there already, and it is another one: move it, or save to another folder.`),
    );
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of files) writeFileSync(path, text);
  const ignored = join(folder, '.gitignore');
  // The folder of the store has its keys.
  if (!existsSync(ignored)) writeFileSync(ignored, 'data/\nnode_modules/\n');
  return files.map(([path]) => path);
}

function configOf({ contractNames }: ContractSource, { upstreams, answeredBy }: SourcedUpstreams): string {
  const services = contractNames.map((name, at) => `    ${name}.answeredBy(${quote(answeredBy[at] ?? '')}),\n`);
  const entries = Object.entries(upstreams).map(([name, options]) => {
    const members = Object.entries(options).map(([key, value]) => `      ${key}: ${quote(value)},\n`);
    return `    ${name}: {\n${members.join('')}    },\n`;
  });
  return [
    "import { defineConfig } from 'triglyph';\n",
    `import { ${contractNames.join(', ')} } from './contract.ts';\n\n`,
    'export default defineConfig({\n',
    '  builtIn: false,\n',
    `  services: [\n${services.join('')}  ],\n`,
    `  upstreams: {\n${entries.join('')}  },\n`,
    '});\n',
  ].join('');
}

/** A literal. Texts of a document are in it, so it is written as JSON, without separators of lines. */
function quote(value: unknown): string {
  const text = JSON.stringify(value).replace(/[\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
  return typeof value === 'string' && !/['\\]/.test(text) ? `'${text.slice(1, -1)}'` : text;
}
