/** Lists the stacks whose clients call every operation of a document, each with its script. */
import type { Stack } from '../stack.ts';
import { jaxwsClasses, jaxwsSource } from '../stacks.ts';

export interface OperationsStack {
  readonly name: string;
  readonly title: string;
  readonly source: Stack['source'];
  /** Whether it reads a document with a binding for SOAP 1.2, too. */
  readonly soap12: boolean;
  /** Makes stubs of `$WSDL`, and calls the operations of `$INPUTS` at `$ADDRESS`; `$MOCK` is reset before each call. */
  readonly script: string;
}

/** They need no stubs, and the tests run them. */
export const dynamicStacks: readonly OperationsStack[] = [
  {
    name: 'php',
    title: 'PHP SoapClient',
    source: { kind: 'Debian', packages: ['php-cli', 'php-soap'], versionOf: 'php8.2-soap' },
    soap12: true,
    script: 'php "$CLIENTS/php/operations.php"',
  },
  {
    name: 'zeep',
    title: 'zeep',
    source: { kind: 'Debian', packages: ['python3-zeep'], versionOf: 'python3-zeep' },
    soap12: true,
    script: '/usr/bin/python3 "$CLIENTS/zeep/operations.py"',
  },
];

export const operationsStacks: readonly OperationsStack[] = [
  ...dynamicStacks,
  {
    name: 'jaxws',
    title: 'wsimport (JAX-WS RI)',
    source: jaxwsSource,
    soap12: false,
    script:
      `${jaxwsClasses}\nwsimport -quiet -keep -Xnocompile -p stubs -d . -s . "$WSDL"\n` +
      'javac -encoding UTF-8 -nowarn -proc:none -cp "$CP" -d . "$CLIENTS/jaxws/Operations.java" stubs/*.java\n' +
      'java -cp ".:$CP" Operations',
  },
  {
    name: 'gsoap',
    title: 'gSOAP (C)',
    source: { kind: 'Debian', packages: ['gsoap', 'libgsoap-dev', 'gcc', 'libc6-dev'], versionOf: 'gsoap' },
    soap12: false,
    script:
      'wsdl2h -c -t /usr/share/gsoap/WS/typemap.dat -o stubs.h "$WSDL" > wsdl2h.log 2>&1\n' +
      'soapcpp2 -c -C -L -x -w -I/usr/share/gsoap/import:/usr/share/gsoap stubs.h > soapcpp2.log\n' +
      'cp *.nsmap main.nsmap\ngcc -w -I. -o client main.c soapC.c soapClient.c -lgsoap\n./client',
  },
  {
    name: 'mono',
    title: 'wsdl.exe (Mono)',
    source: { kind: 'Debian', packages: ['mono-mcs', 'mono-devel'], versionOf: 'mono-mcs' },
    soap12: false,
    script:
      'wsdl -namespace:Stubs -out:Stubs.cs "$WSDL" > wsdl.log\n' +
      'mcs -nologo -nowarn:0219 -r:System.Web.Services -r:System.Web.Extensions -out:client.exe Stubs.cs "$CLIENTS/mono/operations.cs"\n' +
      'mono client.exe',
  },
];
