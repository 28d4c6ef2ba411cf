/** Lists the SOAP servers of Debian and npm that `serve --wsdl` is put in front of: the same depot by each stack. */
import type { LiveService, ServerStack } from './live-server.ts';
import { axisClasses, axisSource, jaxwsClasses, jaxwsSource } from './stacks.ts';

/** What a stack cannot do by itself. */
export type Lack =
  | 'one-way'
  | 'data of faults'
  | 'faults of callers'
  | 'faults without a code'
  | 'faults without data'
  | 'inheritance';

/** A stack that builds the depot. */
export interface DepotStack extends ServerStack {
  readonly lacks: readonly Lack[];
}

/** The depot behind `serve --wsdl`. */
export const depot: LiveService = {
  name: 'depot',
  document: 'depot.wsdl',
  option: '--wsdl',
  parameters: ['--reads', 'get*'],
};

const php = (version: string): DepotStack => ({
  name: 'php',
  title: `PHP SoapServer, SOAP ${version}`,
  source: { kind: 'Debian', packages: ['php-cli', 'php-soap'], versionOf: 'php8.2-soap' },
  prepare: `sed "s|http://depot.example|http://127.0.0.1:$PORT|; /port name="Depot${version === '1.1' ? '12' : '11'}"/d" "$DOCUMENT" > depot.wsdl`,
  command: `WSDL=depot.wsdl NOTES=notes SOAP_VERSION=${version} exec php -S 127.0.0.1:$PORT "$SERVER/depot.php"`,
  document: '/depot?wsdl',
  // It adds the declared fault, without data, to any other one.
  lacks: ['faults without data'],
});

/** Those that the tests run, since they start within a second or two. */
export const lightServers: readonly DepotStack[] = [
  php('1.1'),
  php('1.2'),
  {
    name: 'node',
    title: 'soap (node-soap)',
    source: { kind: 'devDependency', module: 'soap' },
    prepare: 'sed "s|http://depot.example|http://127.0.0.1:$PORT|" "$DOCUMENT" > depot.wsdl',
    command: 'WSDL=depot.wsdl exec "$NODE" "$SERVER/depot.mjs"',
    document: '/depot?wsdl',
    lacks: [],
  },
  {
    name: 'spyne',
    title: 'spyne',
    source: { kind: 'Debian', packages: ['python3-spyne', 'python3-lxml'], versionOf: 'python3-spyne' },
    command: 'exec /usr/bin/python3 "$SERVER/depot.py"',
    document: '/?wsdl',
    lacks: ['one-way', 'data of faults'],
  },
];

export const serverStacks: readonly DepotStack[] = [
  ...lightServers,
  {
    name: 'jaxws',
    title: 'JAX-WS RI',
    source: jaxwsSource,
    // wsgen writes the sources of the wrappers. Its own compilation fails on Java 17.
    prepare:
      `${jaxwsClasses}\njavac -nowarn -cp "$CP" -d . "$SERVER/Depot.java"\n` +
      'wsgen -keep -s . -cp ".:$CP" -d . depot.Depot || true\n' +
      'javac -nowarn -cp ".:$CP" -d . $(find . -name "*.java")',
    command: `${jaxwsClasses}; exec java -cp ".:$CP" depot.Depot http://127.0.0.1:$PORT/depot`,
    document: '/depot?wsdl',
    // It blames itself for each exception of the application.
    lacks: ['faults of callers'],
  },
  {
    name: 'gsoap',
    title: 'gSOAP (C)',
    source: { kind: 'Debian', packages: ['gsoap', 'libgsoap-dev', 'gcc', 'libc6-dev'], versionOf: 'gsoap' },
    prepare:
      'soapcpp2 -c -S -L -x "$SERVER/depot.h"\n' +
      'gcc -w -I. -o depot "$SERVER/depot.c" soapC.c soapServer.c -lgsoap\n' +
      'sed -i "s|http://depot.example|http://127.0.0.1:$PORT|" Depot.wsdl',
    command: 'exec ./depot $PORT Depot.wsdl',
    document: '/depot?wsdl',
    lacks: ['inheritance'],
  },
  {
    name: 'mono',
    title: 'ASP.NET (asmx, on Mono)',
    source: {
      kind: 'Debian',
      packages: ['mono-mcs', 'mono-devel', 'libmono-system-web4.0-cil', 'libmono-system-web-services4.0-cil'],
      versionOf: 'mono-mcs',
    },
    prepare:
      'cp "$SERVER/Depot.asmx" "$SERVER/Web.config" .\nmkdir bin\n' +
      'mcs -nologo -out:bin/host.exe -r:System.Web "$SERVER/Host.cs"',
    command: 'exec mono bin/host.exe $PORT "$PWD"',
    document: '/Depot.asmx?wsdl',
    lacks: ['one-way', 'data of faults'],
  },
  {
    name: 'axis',
    title: 'Axis 1.4',
    source: axisSource,
    // It cannot read a binding for SOAP 1.2, and the WSDL that it serves has neither headers nor data of faults.
    prepare:
      `${axisClasses}\n` +
      'sed "s|http://depot.example/depot|http://127.0.0.1:$PORT/axis/services/Depot11|; /port name=\\"Depot12\\"/d; ' +
      '/binding name=\\"Depot12\\"/,/<.wsdl:binding>/d" "$DOCUMENT" > depot.wsdl\n' +
      'java -cp "$CP" org.apache.axis.wsdl.WSDL2Java -o src -s -d Application --NStoPkg urn:example:depot=depot depot.wsdl\n' +
      'cp "$SERVER/Depot11Impl.java" src/depot/\njavac -encoding UTF-8 -nowarn -cp "$CP" -d . src/depot/*.java\n' +
      'java -cp ".:$CP" org.apache.axis.utils.Admin server src/depot/deploy.wsdd',
    command: `${axisClasses}; exec java -cp ".:$CP" org.apache.axis.transport.http.SimpleAxisServer -p $PORT`,
    document: 'depot.wsdl',
    lacks: ['faults without a code'],
  },
];
