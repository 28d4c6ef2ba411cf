/** Tests that everything of a release can be made: package, program of the image, bill of materials and notes. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { packPackage } from '../support/packed-package.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = tempFolder();
afterAll(() => folder.discard());

const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const { version, dependencies } = JSON.parse(read('package.json')) as { version: string; dependencies: object };

const check = (...parameters: readonly string[]) =>
  promisify(execFile)(process.execPath, ['scripts/release-check.mjs', ...parameters], { cwd: root });

test('the package, the bill of materials with all libraries, and the notes of the version are made', async () => {
  const { file } = await packPackage();
  const release = join(folder.path, 'release');
  const { stdout } = await check('--package', file, '--folder', release);
  const names = ['notes.md', `triglyph-${version}.tgz`, 'triglyph.cdx.json'];
  expect(readdirSync(release).sort()).toEqual(names);
  expect(stdout.trim().split('\n').sort()).toEqual(names.map((name) => join(release, name)));
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(release, 'triglyph.cdx.json'), 'utf8')) as {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly purl: string }[];
  };
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'triglyph']);
  const listed = components.map(({ purl }) => purl);
  for (const [name, range] of Object.entries(dependencies))
    expect(listed).toContain(`pkg:npm/${name.replace('@', '%40')}@${range}`);
  // Of development, and of the machine.
  for (const name of ['jest', 'typescript', 'checkout-node'])
    expect(listed.filter((purl) => purl.startsWith(`pkg:npm/${name}@`))).toEqual([]);
  const notes = readFileSync(join(release, 'notes.md'), 'utf8');
  expect(read('CHANGELOG.md')).toContain(notes.trim());
  expect(notes).not.toMatch(/^## /m);
});

test('a tag that is not the version is refused before anything is built', async () => {
  const release = join(folder.path, 'refused');
  await expect(check('--tag', 'v99.0.0', '--folder', release)).rejects.toMatchObject({
    code: 1,
    stderr: `v99.0.0 is not the version of package.json: v${version}\n`,
  });
  expect(existsSync(release)).toBe(false);
});

test('a tag runs the check with its name before it publishes, and the check runs on each push', () => {
  interface Step {
    readonly run?: string;
    readonly uses?: string;
  }
  const stepsOf = (file: string, job: string): readonly string[] => {
    const { jobs } = parse(read(`.github/workflows/${file}`)) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
    };
    return jobs[job]!.steps.map(({ run, uses }) => run ?? uses ?? '');
  };
  expect(stepsOf('ci.yml', 'release')).toContain('npm run release:check');
  const steps = stepsOf('release.yml', 'publish');
  const at = (part: string): number => steps.findIndex((step) => step.includes(part));
  expect(at('release:check -- --tag')).toBeGreaterThan(0);
  for (const publishing of ['npm publish', 'docker push', 'gh release create'])
    expect(at(publishing)).toBeGreaterThan(at('release:check'));
  expect(steps[at('npm publish')]).toContain('--provenance');
});
