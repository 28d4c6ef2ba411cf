/** Interpreters and compilers read the literals of calls as the texts that were printed. */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type LanguageName, languageNames } from '../../src/convert/call-source.ts';
import { quote } from '../../src/convert/languages/curl.ts';
import { asciiLiteral } from '../../src/convert/languages/literal.ts';
import { literal as nodeLiteral } from '../../src/convert/languages/node.ts';
import { literal as phpLiteral } from '../../src/convert/languages/php.ts';
import { literal as pythonLiteral } from '../../src/convert/languages/python.ts';
import { literal as rubyLiteral } from '../../src/convert/languages/ruby.ts';
import { isInstalled, runProgram } from '../support/interpreters.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Literal = (text: string) => string;

/** A program of each language that prints texts in hexadecimal digits, a line each. */
const printers: Readonly<
  Record<LanguageName, { readonly literal: Literal; readonly program: (all: string[]) => string }>
> = {
  curl: {
    literal: quote,
    // One line of digits, cut at the NULs.
    program: (all) =>
      `printf '%s\\0' ${all.join(' ')} | od -An -v -tx1 | tr -d ' \\n' | sed 's/../& /g; s/00 /\\n/g; s/ //g'\n`,
  },
  php: {
    literal: phpLiteral,
    program: (all) => `<?php\nforeach ([\n${all.join(',\n')}] as $a) echo bin2hex($a), "\\n";\n`,
  },
  python: { literal: pythonLiteral, program: (all) => `for a in [\n${all.join(',\n')}]: print(a.encode().hex())\n` },
  ruby: { literal: rubyLiteral, program: (all) => `[\n${all.join(',\n')}].each { |a| puts a.unpack1('H*') }\n` },
  node: {
    literal: nodeLiteral,
    program: (all) => `for (const a of [\n${all.join(',\n')}]) console.log(Buffer.from(a).toString('hex'));\n`,
  },
  java: {
    literal: asciiLiteral,
    program: (all) => `import java.nio.charset.StandardCharsets;
public class Call {
  public static void main(String[] arguments) {
    for (String each : new String[] {${all.join(',\n')}}) {
      StringBuilder line = new StringBuilder();
      for (byte b : each.getBytes(StandardCharsets.UTF_8)) line.append(String.format("%02x", b));
      System.out.println(line);
    }
  }
}
`,
  },
  csharp: {
    literal: asciiLiteral,
    program: (all) => `using System;
using System.Text;
public static class Call {
  public static void Main() {
    foreach (string each in new string[] {${all.join(',\n')}})
      Console.WriteLine(BitConverter.ToString(Encoding.UTF8.GetBytes(each)).Replace("-", "").ToLower());
  }
}
`,
  },
};

const files: Readonly<Record<LanguageName, string>> = {
  curl: 'call.sh',
  php: 'call.php',
  python: 'call.py',
  ruby: 'call.rb',
  node: 'call.mjs',
  java: 'Call.java',
  csharp: 'Call.cs',
};

/** Signs that mean something in one of the languages, among others. */
const sign = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...`'"\\\`$#{}()[]<>?%@!&|;*~=/ \n\r\t0nurx\${}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\\u0041',
      '\\\\',
      '#{x}',
      '$x',
      '$' + '{x}',
      '?>',
      "'''",
      '"""',
      '\\',
      '\u2028',
      '\u202e',
      '\ufeff',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }) },
);
// A shell cannot hold NUL, and no contract allows it.
const texts = fc.array(sign, { maxLength: 24 }).map((signs) => signs.join('').replaceAll('\0', '') || 'x');
const samples = ['a', '', "'", '\\', "\\'", '"', '\n', ...fc.sample(texts, { numRuns: 400, seed: 7 })];

const folder = tempFolder();
afterAll(() => folder.discard());

/** The texts that the language reads as others. */
async function misread(language: LanguageName, literal: Literal): Promise<readonly string[]> {
  const source = printers[language].program(samples.map(literal));
  const place = join(folder.path, `${language}-${literal.name}`);
  const lines = (await runProgram(language, { file: files[language], source }, place)).split('\n');
  return samples.filter((text, at) => lines[at] !== Buffer.from(text).toString('hex'));
}

test.each(languageNames.filter(isInstalled))('%s reads every literal as its text', async (language) => {
  expect(await misread(language, printers[language].literal)).toEqual([]);
});

test.each(['php', 'ruby'] as const)('a literal of another language is misread by %s', async (language) => {
  const careless: Literal = (text) => JSON.stringify(text.replaceAll('{', '(').replaceAll('[', '('));
  expect((await misread(language, careless)).length).toBeGreaterThan(0);
});
