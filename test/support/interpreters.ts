/** Runs programs in the languages of calls: interpreted, or compiled first. */
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { LanguageName } from '../../src/convert/call-source.ts';

const execute = promisify(execFile);

interface Interpreter {
  /** Commands in the folder of the program; what the last one prints counts. */
  readonly commands: readonly (readonly [program: string, ...parameters: string[]])[];
}

/** The system's Python: the machine may have another one first in the path, which starts slowly. */
const interpreters: Readonly<Record<LanguageName, Interpreter>> = {
  curl: { commands: [['/bin/sh', 'call.sh']] },
  php: { commands: [['php', 'call.php']] },
  python: { commands: [['/usr/bin/python3', 'call.py']] },
  ruby: { commands: [['ruby', 'call.rb']] },
  node: { commands: [[process.execPath, 'call.mjs']] },
  java: { commands: [['java', '-XX:TieredStopAtLevel=1', 'Call.java']] },
  csharp: {
    commands: [
      ['mcs', '-nologo', '-out:call.exe', '-r:System.Net.Http', 'Call.cs'],
      ['mono', 'call.exe'],
    ],
  },
};

/** Whether the machine has the programs of a language. */
export function isInstalled(language: LanguageName): boolean {
  return interpreters[language].commands.every(([program]) => isProgram(program));
}

function isProgram(name: string): boolean {
  const folders = name.startsWith('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns what the program prints. `file`: the name that its language expects. */
export async function runProgram(
  language: LanguageName,
  { file, source }: { readonly file: string; readonly source: string },
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), source);
  let printed = '';
  for (const [program, ...parameters] of interpreters[language].commands) {
    const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8', ...env }, maxBuffer: 1 << 26 };
    printed = (await execute(program, parameters, options)).stdout;
  }
  return printed;
}
