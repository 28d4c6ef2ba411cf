/** Lists the client stacks that Debian and npm have, with the commands that run them. */
import { type Debian, runs, type Stack } from './stack.ts';

export const axisClasses =
  'CP=$(ls /usr/share/java/axis.jar /usr/share/java/jaxrpc.jar /usr/share/java/saaj.jar /usr/share/java/commons-discovery.jar ' +
  "/usr/share/java/commons-logging.jar /usr/share/java/wsdl4j.jar | tr '\\n' ':')";
export const jaxwsClasses = "CP=$(ls /usr/share/jaxws/lib/*.jar | tr '\\n' ':')";

export const axisSource: Debian = {
  kind: 'Debian',
  packages: [
    'default-jdk-headless',
    'libaxis-java',
    'libcommons-discovery-java',
    'libcommons-logging-java',
    'libwsdl4j-java',
  ],
  versionOf: 'libaxis-java',
};
export const jaxwsSource: Debian = {
  kind: 'Debian',
  packages: ['default-jdk-headless', 'jaxws'],
  versionOf: 'jaxws',
};

/** Those that the tests run, since they are installed for them and take a second. */
export const lightStacks: readonly Stack[] = [
  {
    name: 'php',
    title: 'PHP SoapClient',
    page: 'php',
    source: { kind: 'Debian', packages: ['php-cli', 'php-soap'], versionOf: 'php8.2-soap' },
    key: 'header, by `stream_context`',
    runs: [runs.v1, runs.ownV1, runs.v12, runs.soap11, runs.soap12, runs.newest],
    command: 'php "$CLIENT/client.php"',
  },
  {
    name: 'zeep',
    title: 'zeep',
    page: 'python',
    source: { kind: 'Debian', packages: ['python3-zeep'], versionOf: 'python3-zeep' },
    key: 'header, by `extra_http_headers`',
    note: 'Reads a nil object as one whose members are all `None`.',
    runs: [runs.v1, runs.ownV1, runs.v12, runs.soap11, runs.soap12, runs.newest],
    // The system's interpreter: zeep is a system package.
    command: '/usr/bin/python3 "$CLIENT/client.py"',
  },
  {
    name: 'node-soap',
    title: 'soap (node-soap)',
    page: 'node',
    source: { kind: 'devDependency', module: 'soap' },
    key: 'header, third argument of a call',
    runs: [runs.v12, runs.soap11, runs.soap12, runs.newest],
    command: '"$NODE" "$CLIENT/client.mjs"',
  },
];

export const stacks: readonly Stack[] = [
  ...lightStacks,
  {
    name: 'suds',
    title: 'suds',
    page: 'python',
    source: { kind: 'Debian', packages: ['python3-suds'], versionOf: 'python3-suds' },
    key: 'header, by `set_options`',
    runs: [runs.v12, runs.soap11, runs.newest],
    command: '/usr/bin/python3 "$CLIENT/client.py"',
  },
  {
    name: 'soap-lite',
    title: 'SOAP::Lite',
    page: 'perl',
    source: { kind: 'Debian', packages: ['libsoap-lite-perl'], versionOf: 'libsoap-lite-perl' },
    key: 'header, by `default_header` of the transport',
    note: 'No stub. Sends types that it guesses, with unqualified children unless `default_ns` is set. Text outside of ASCII needs the type `string`.',
    runs: [
      { document: 'none', variant: 'qualified' },
      { document: 'none', variant: 'unqualified' },
    ],
    command: 'perl "$CLIENT/client.pl"',
  },
  {
    name: 'gsoap',
    title: 'gSOAP (C)',
    page: 'c',
    source: { kind: 'Debian', packages: ['gsoap', 'libgsoap-dev', 'gcc', 'libc6-dev'], versionOf: 'gsoap' },
    key: 'header, by `http_extra_header`',
    runs: [runs.v1, runs.v12, runs.soap11, runs.single, runs.newest],
    prepare:
      'wsdl2h -c -t /usr/share/gsoap/WS/typemap.dat -o recurring.h "$DOCUMENT"\n' +
      'soapcpp2 -c -C -L -x -w -I/usr/share/gsoap/import:/usr/share/gsoap recurring.h\n' +
      `gcc -w \${VERSION1:+-DVERSION1} -I. -o client "$CLIENT/client.c" soapC.c soapClient.c -lgsoapssl -lgsoap`,
    command: './client',
  },
  {
    name: 'axis',
    title: 'Axis 1.4',
    page: 'java',
    source: axisSource,
    key: 'header, by `HTTPConstants.REQUEST_HEADERS`',
    runs: [runs.v1, runs.v12, runs.single, runs.newestSingle],
    prepare:
      `${axisClasses}\n` +
      'java -cp "$CP" org.apache.axis.wsdl.WSDL2Java -o src "$DOCUMENT"\n' +
      `javac -encoding UTF-8 -nowarn -cp "$CP" -sourcepath src -d out "$CLIENT/\${VERSION1:+v1/}Client.java"`,
    command: `${axisClasses}; java -Dfile.encoding=UTF-8 -cp "out:$CP" Client`,
  },
  {
    name: 'jaxws',
    title: 'JAX-WS RI (wsimport)',
    page: 'java',
    source: jaxwsSource,
    key: 'header, by `MessageContext.HTTP_REQUEST_HEADERS`',
    runs: [runs.v1, runs.v12, runs.single, runs.newestSingle],
    prepare:
      `${jaxwsClasses}\nmkdir src\n` +
      'wsimport -quiet -keep -Xnocompile -d . -s src -b "$CLIENT/bindings.xjb" "$DOCUMENT"\n' +
      `javac -encoding UTF-8 -nowarn -cp "$CP" -d out "$CLIENT/\${VERSION1:+v1/}Client.java" $(find src -name "*.java")`,
    command: `${jaxwsClasses}; java -Dfile.encoding=UTF-8 -cp "out:$CP" Client`,
  },
  {
    name: 'mono',
    title: '.NET (wsdl.exe, on Mono)',
    page: 'dotnet',
    source: { kind: 'Debian', packages: ['mono-mcs', 'mono-devel'], versionOf: 'mono-mcs' },
    key: 'header, by `GetWebRequest`',
    runs: [runs.v1, runs.v12, runs.soap11, runs.single, runs.newest],
    prepare:
      'wsdl -out:Recurring.cs "$DOCUMENT"\n' +
      `mcs \${VERSION1:+-d:VERSION1} -nologo -nowarn:0168,0219,0649 -out:client.exe -r:System.Web.Services Recurring.cs "$CLIENT/client.cs"`,
    command: 'mono client.exe',
  },
  {
    name: 'soap4r',
    title: 'soap4r',
    page: 'ruby',
    source: {
      kind: 'Debian',
      packages: ['ruby', 'ruby-soap4r', 'ruby-logger-application', 'ruby-httpclient'],
      versionOf: 'ruby-soap4r',
    },
    key: '`MessageID` of WS-Addressing',
    runs: [runs.v12, runs.soap11, runs.single, runs.newest],
    prepare:
      'ruby -W0 -rlogger-application "$(ruby -e \'print Gem.bin_path("soap4r-ruby1.9", "wsdl2ruby.rb")\')" ' +
      '--wsdl "$DOCUMENT" --type client --module_path Adyen --force --quiet',
    command: 'ruby -W0 -rsoap/soap -I. "$CLIENT/client.rb"',
  },
  {
    name: 'strong-soap',
    title: 'strong-soap',
    page: 'node',
    source: { kind: 'npm', packages: ['strong-soap@6.0.1'] },
    key: 'header, in the options of a call',
    runs: [runs.v12, runs.soap11, runs.newest],
    command: '"$NODE" "$CLIENT/client.cjs"',
  },
  {
    name: 'easysoap',
    title: 'easysoap',
    page: 'node',
    source: { kind: 'npm', packages: ['easysoap@2.3.0'] },
    key: 'header, in `headers`',
    runs: [runs.soap11, runs.newest],
    command: '"$NODE" "$CLIENT/client.cjs"',
  },
];

/** Stacks and libraries that neither Debian nor npm has, so that no run covers them. */
export const absent: readonly (readonly [name: string, source: string])[] = [
  ['Apache CXF', 'Maven'],
  ['Savon, the `adyen` gem', 'RubyGems'],
  ['WCF (`dotnet-svcutil`)', 'NuGet'],
  ['XML::Compile::SOAP', 'CPAN'],
  ['the merchants’ libraries for PHP, Python, Java, Ruby and .NET', 'Packagist, PyPI, Maven, RubyGems, NuGet'],
];
