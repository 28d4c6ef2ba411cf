/** Lists the programs that make stubs of a WSDL, with what they need. */
import type { Debian } from './stack.ts';
import { axisClasses, axisSource, jaxwsClasses, jaxwsSource } from './stacks.ts';

export interface StubTool {
  readonly name: string;
  readonly title: string;
  readonly source: Debian;
  /** Whether it reads a document with a binding for SOAP 1.2, too. */
  readonly soap12: boolean;
  /** Each step of a shell in an empty folder, in this order. `$AXIS_OPTIONS` are those that the documents need, `$DOCUMENT` is the WSDL, `$OPERATIONS` the number of its operations. */
  readonly steps: readonly (readonly [title: 'reads' | 'generates' | 'compiles', script: string])[];
}

const countByZeep = `import sys, zeep
bindings = zeep.Client(sys.argv[1]).wsdl.bindings.values()
assert {len(each._operations) for each in bindings} == {int(sys.argv[2])}`;

const countByPhp = `$client = new SoapClient($argv[1], ["cache_wsdl" => WSDL_CACHE_NONE]);
$client->__getTypes();
exit(count(array_unique($client->__getFunctions())) >= $argv[2] ? 0 : 1);`;

const compileJava = 'javac -encoding UTF-8 -nowarn -proc:none -cp "$CP" -d . $(find . -name "*.java")';

export const stubTools: readonly StubTool[] = [
  {
    name: 'zeep',
    title: 'zeep',
    source: { kind: 'Debian', packages: ['python3-zeep'], versionOf: 'python3-zeep' },
    soap12: true,
    steps: [['reads', `/usr/bin/python3 -c '${countByZeep}' "$DOCUMENT" "$OPERATIONS"`]],
  },
  {
    name: 'php',
    title: 'PHP SoapClient',
    source: { kind: 'Debian', packages: ['php-cli', 'php-soap'], versionOf: 'php8.2-soap' },
    soap12: true,
    steps: [['reads', `php -r '${countByPhp}' -- "$DOCUMENT" "$OPERATIONS"`]],
  },
  {
    name: 'jaxws',
    title: 'wsimport (JAX-WS RI)',
    source: jaxwsSource,
    soap12: false,
    steps: [
      ['generates', 'wsimport -quiet -keep -Xnocompile -d . -s . "$DOCUMENT"'],
      ['compiles', `${jaxwsClasses}; ${compileJava}`],
    ],
  },
  {
    name: 'axis',
    title: 'WSDL2Java (Axis 1.4)',
    source: axisSource,
    soap12: false,
    steps: [
      ['generates', `${axisClasses}; java -cp "$CP" org.apache.axis.wsdl.WSDL2Java $AXIS_OPTIONS -o . "$DOCUMENT"`],
      ['compiles', `${axisClasses}; ${compileJava}`],
    ],
  },
  {
    name: 'gsoap',
    title: 'wsdl2h and soapcpp2 (gSOAP)',
    source: { kind: 'Debian', packages: ['gsoap', 'libgsoap-dev', 'gcc', 'libc6-dev'], versionOf: 'gsoap' },
    soap12: true,
    steps: [
      ['reads', 'wsdl2h -c -t /usr/share/gsoap/WS/typemap.dat -o stubs.h "$DOCUMENT"'],
      ['generates', 'soapcpp2 -c -C -L -x -w -I/usr/share/gsoap/import:/usr/share/gsoap stubs.h'],
      ['compiles', 'gcc -w -fsyntax-only -I. -I/usr/share/gsoap soapC.c soapClient.c'],
    ],
  },
  {
    name: 'mono',
    title: 'wsdl.exe (Mono)',
    source: { kind: 'Debian', packages: ['mono-mcs', 'mono-devel'], versionOf: 'mono-mcs' },
    soap12: true,
    steps: [
      ['generates', 'wsdl -out:Stubs.cs "$DOCUMENT"; test -s Stubs.cs'],
      ['compiles', 'mcs -nologo -target:library -r:System.Web.Services -out:Stubs.dll Stubs.cs'],
    ],
  },
];
