/** Compiles the peers in C and in Java, where their tools are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const compiledNames = ['gsoap', 'jaxWs'] as const;
export type CompiledName = (typeof compiledNames)[number];

export interface Executable {
  readonly program: string;
  readonly parameters: readonly string[];
}

interface Source {
  readonly title: string;
  /** Debian packages. */
  readonly packages: string;
  isInstalled(): boolean;
  compile(folder: string): Executable;
}

export interface CompiledPeers {
  readonly executables: ReadonlyMap<CompiledName, Executable>;
  /** What is left out and how to install it; empty where nothing is. */
  readonly missing: ReadonlyMap<CompiledName, string>;
}

const jars = '/usr/share/java';
const wsdl = local('../../wsdl/Recurring-v25.wsdl');

const sources: Readonly<Record<CompiledName, Source>> = {
  gsoap: {
    title: 'gSOAP',
    packages: 'gsoap libgsoap-dev gcc libc6-dev',
    isInstalled: () => ['wsdl2h', 'soapcpp2', 'gcc'].every(has) && existsSync('/usr/include/stdsoap2.h'),
    compile: compileGsoap,
  },
  jaxWs: {
    title: 'JAX-WS RI',
    packages: 'libjaxws-java default-jdk-headless',
    isInstalled: () => has('javac') && [...runtimeJars, ...toolJars].every(existsSync),
    compile: compileJaxWs,
  },
};

/** The manifest of jaxws-rt.jar names further ones. */
const runtimeJars = jarsOf('jaxws-rt', 'jaxb-runtime', 'javax.activation', 'istack-commons-runtime', 'txw2');
const toolJars = jarsOf(
  'jaxws-tools',
  'jaxb-xjc',
  'istack-commons-tools',
  'xsom',
  'rngom',
  'codemodel',
  'dtd-parser',
  'relaxngDatatype',
);

/** Installs nothing: a peer whose tools are missing is left out. */
export function compilePeers(folder: string, names: readonly CompiledName[]): CompiledPeers {
  const executables = new Map<CompiledName, Executable>();
  const missing = new Map<CompiledName, string>();
  for (const name of names) {
    const { title, packages, isInstalled, compile } = sources[name];
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    if (isInstalled()) executables.set(name, compile(own));
    else missing.set(name, `${title} is not installed, and left out: \`apt-get install ${packages}\` adds it.`);
  }
  return { executables, missing };
}

function compileGsoap(folder: string): Executable {
  run(folder, 'wsdl2h', ['-c', '-t', local('gsoap/typemap.dat'), '-o', 'recurring.h', wsdl]);
  run(folder, 'soapcpp2', ['-c', '-S', '-L', '-x', '-w', 'recurring.h']);
  const own = ['gsoap/server.c', 'gsoap/answers.c'].map(local);
  // The flags with which Debian compiles the library.
  const flags = ['-O2', '-w', '-D_GNU_SOURCE', '-DWITH_IPV6', '-DWITH_COOKIES', '-DWITH_DOM'];
  const include = ['-I.', `-I${local('gsoap')}`];
  const program = join(folder, 'server');
  run(folder, 'gcc', [...flags, ...include, '-o', program, ...own, 'soapC.c', 'soapServer.c', '-lgsoap', '-lpthread']);
  return { program, parameters: [] };
}

function compileJaxWs(folder: string): Executable {
  const runtime = runtimeJars.join(':');
  const tools = [...toolJars, runtime].join(':');
  for (const name of ['generated', 'classes']) mkdirSync(join(folder, name));
  const generate = ['-quiet', '-Xnocompile', '-d', 'generated', '-s', 'generated', wsdl];
  run(folder, 'java', ['-cp', tools, 'com.sun.tools.ws.WsImport', ...generate]);
  const own = ['jax-ws/Server.java', 'jax-ws/Answers.java'].map(local);
  const generated = globSync('generated/**/*.java', { cwd: folder });
  run(folder, 'javac', ['-nowarn', '-proc:none', '-cp', runtime, '-d', 'classes', ...own, ...generated]);
  const path = `${join(folder, 'classes')}:${runtime}`;
  // Without it an answer waits for an acknowledgement of the one before.
  return { program: 'java', parameters: ['-Dsun.net.httpserver.nodelay=true', '-cp', path, 'Server'] };
}

function run(folder: string, program: string, parameters: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? ''}${stdout}${stderr}`);
}

function has(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

function jarsOf(...names: readonly string[]): readonly string[] {
  return names.map((name) => join(jars, `${name}.jar`));
}

function local(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
