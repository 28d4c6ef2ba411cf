/** Validates envelopes against the derived schemas with xmllint and returns the invalid ones. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespacesOf, ownUri, type Service } from '../../src/core/contract/service.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { deriveXsd } from '../../src/documents/xsd.ts';
import { createTempFolder } from './temp-folder.ts';

const envelopes = ['http://schemas.xmlsoap.org/soap/envelope/', 'http://www.w3.org/2003/05/soap-envelope'] as const;

/** Schema for Envelope and Body of both SOAP versions: the content of Body must match its declaration. */
const envelopeXsd = (uri: string) =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${uri}" elementFormDefault="qualified">
  <xs:element name="Envelope"><xs:complexType><xs:sequence><xs:element name="Body"><xs:complexType><xs:sequence>
    <xs:any namespace="##other" processContents="strict"/>
  </xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
</xs:schema>`;

const writeSchemas = (folder: string, service: Service): string => {
  const { own } = namespacesOf(service);
  for (const [namespace, text] of deriveXsd(service, (other) => `${other}.xsd`)) {
    const wrappers = namespace === own && service.soapStyle === 'rpc' ? rpcElements(service) : '';
    writeFileSync(join(folder, `${namespace}.xsd`), text.replace('</xsd:schema>', `${wrappers}</xsd:schema>`));
  }
  const imports = envelopes.map((uri, index) => {
    writeFileSync(join(folder, `envelope${index}.xsd`), envelopeXsd(uri));
    return `<xs:import namespace="${uri}" schemaLocation="envelope${index}.xsd"/>`;
  });
  const path = join(folder, 'all.xsd');
  const text = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${imports.join('')}
  <xs:import namespace="${ownUri(service)}" schemaLocation="${own}.xsd"/></xs:schema>`;
  writeFileSync(path, text);
  return path;
};

/** The elements of rpc messages, which SOAP declares and no schema. */
function rpcElements(service: Service): string {
  const wsdl = deriveWsdl(service, { address: 'urn:x', soap12: false });
  return [...wsdl.matchAll(/<wsdl:message name="(\w+)(Request|Response)">([\s\S]*?)<\/wsdl:message>/g)]
    .map(([, name, side, parts]) => {
      const elements = parts!
        .replaceAll('wsdl:part', 'xsd:element form="unqualified" minOccurs="0" nillable="true"')
        .replaceAll('"tns:', `"${namespacesOf(service).own}:`);
      const suffix = side === 'Response' ? side : '';
      return `<xsd:element name="${name}${suffix}"><xsd:complexType><xsd:sequence>${elements}</xsd:sequence></xsd:complexType></xsd:element>`;
    })
    .join('');
}

/** Returns xmllint's message on the first invalid document and the document; undefined when all are valid. */
export const firstInvalid = (service: Service, documents: readonly string[]): string | undefined => {
  const folder = createTempFolder();
  try {
    const schema = writeSchemas(folder, service);
    const names = documents.map((text, index) => {
      writeFileSync(join(folder, `${index}.xml`), text);
      return `${index}.xml`;
    });
    const args = ['--noout', '--nonet', '--schema', schema, ...names];
    const { status, stderr, error } = spawnSync('xmllint', args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
    if (error !== undefined) throw error;
    const lines = stderr.trimEnd().split('\n');
    const verdicts = lines.filter((line) => line.endsWith(' validates'));
    if (status === 0 && verdicts.length === documents.length) return undefined;
    const wrong = lines.find((line) => !line.endsWith(' validates')) ?? `xmllint ends with ${status}`;
    return `${wrong}\n${documents[Number.parseInt(wrong, 10)] ?? ''}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
