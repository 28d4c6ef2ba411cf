/** The measured listings: their data, the servers that answer them, and the ratios that are promised. */
import type { Dataset } from './datasets.ts';
import type { ServerName, TargetName } from './targets.ts';

/** The peer's CPU time per request divided by ours. */
export interface Ratio {
  readonly name: string;
  readonly ours: TargetName;
  readonly peer: TargetName;
  /** A ratio without a target is printed only. */
  readonly least?: number;
}

export interface Scenario {
  /** Names the section of docs/bench.md, and the parameter of `--only`. */
  readonly name: 'cards' | 'sealed' | 'fields' | 'details-10' | 'details-100';
  readonly title: string;
  readonly dataset: Dataset;
  readonly servers: readonly ServerName[];
  readonly targets: readonly TargetName[];
  readonly ratios: readonly Ratio[];
  /** Microseconds of CPU time for each detail of an answer, in every format. */
  readonly usPerDetailMax?: number;
  /** The idle memory and the time to ready are measured. */
  readonly measuresStart?: true;
}

const ownFormats: readonly TargetName[] = ['triglyphSoap', 'triglyphJson', 'triglyphForm'];

const cards: Scenario = {
  name: 'cards',
  title: 'three cards each',
  dataset: { shoppers: 10_000, details: 3, fields: 'card' },
  servers: ['triglyph', 'uncached', 'soapPackage', 'soapUnprefixed', 'bareKoa', 'plainHttp'],
  targets: [...ownFormats, 'soapPackage', 'bareKoa', 'plainHttp', 'uncachedSoap', 'uncachedJson', 'soapUnprefixed'],
  ratios: [
    { name: 'SOAP against (a)', ours: 'triglyphSoap', peer: 'soapPackage', least: 2 },
    { name: 'SOAP against (b), JSON', ours: 'triglyphSoap', peer: 'bareKoa', least: 0.7 },
    { name: 'JSON against (b), JSON', ours: 'triglyphJson', peer: 'bareKoa', least: 0.8 },
    { name: 'SOAP against (a) without prefixes, not valid', ours: 'triglyphSoap', peer: 'soapUnprefixed' },
    { name: 'SOAP against (a), every listing read from the database', ours: 'uncachedSoap', peer: 'soapPackage' },
    { name: 'SOAP against (b), every listing read from the database', ours: 'uncachedSoap', peer: 'bareKoa' },
    { name: 'JSON against (b), every listing read from the database', ours: 'uncachedJson', peer: 'bareKoa' },
  ],
  measuresStart: true,
};

const sealed: Scenario = {
  name: 'sealed',
  title: 'three cards each with every field, one of them sealed',
  dataset: { shoppers: 10_000, details: 3, fields: 'all' },
  servers: ['triglyph', 'soapPackage', 'bareKoa', 'fastify', 'plainHttp', 'gsoap', 'jaxWs'],
  targets: [...ownFormats, 'soapPackage', 'bareKoa', 'bareKoaForm', 'fastify', 'plainHttp', 'gsoap', 'jaxWs'],
  ratios: [
    { name: 'SOAP against (a)', ours: 'triglyphSoap', peer: 'soapPackage', least: 3 },
    { name: 'SOAP against (b), JSON', ours: 'triglyphSoap', peer: 'bareKoa', least: 1 },
    { name: 'JSON against (b), JSON', ours: 'triglyphJson', peer: 'bareKoa', least: 1.25 },
    { name: 'FORM against (b), FORM', ours: 'triglyphForm', peer: 'bareKoaForm', least: 1.4 },
    { name: 'JSON against (c)', ours: 'triglyphJson', peer: 'fastify' },
    { name: 'SOAP against (d)', ours: 'triglyphSoap', peer: 'gsoap' },
    { name: 'SOAP against (e)', ours: 'triglyphSoap', peer: 'jaxWs' },
  ],
};

const fields: Scenario = {
  name: 'fields',
  title: 'three cards each with every field that is not sealed',
  dataset: { shoppers: 10_000, details: 3, fields: 'allButSealed' },
  servers: sealed.servers,
  targets: sealed.targets,
  ratios: [
    { name: 'SOAP against (a)', ours: 'triglyphSoap', peer: 'soapPackage', least: 3.8 },
    { name: 'SOAP against (b), JSON', ours: 'triglyphSoap', peer: 'bareKoa', least: 1.3 },
    { name: 'JSON against (c)', ours: 'triglyphJson', peer: 'fastify', least: 1 },
    { name: 'SOAP against (d)', ours: 'triglyphSoap', peer: 'gsoap', least: 0.85 },
    { name: 'SOAP against (e)', ours: 'triglyphSoap', peer: 'jaxWs' },
    { name: 'JSON against (b), JSON', ours: 'triglyphJson', peer: 'bareKoa' },
    { name: 'FORM against (b), FORM', ours: 'triglyphForm', peer: 'bareKoaForm' },
  ],
};

export const scenarios: readonly Scenario[] = [
  cards,
  sealed,
  fields,
  manyDetails('details-10', 1_000, 10, 6),
  manyDetails('details-100', 50, 100, 15),
];

function manyDetails(name: Scenario['name'], shoppers: number, details: number, least: number): Scenario {
  return {
    name,
    title: `${details} cards each with every field that is not sealed`,
    dataset: { shoppers, details, fields: 'allButSealed' },
    servers: ['triglyph', 'soapPackage', 'bareKoa'],
    targets: [...ownFormats, 'soapPackage', 'bareKoa'],
    ratios: [
      { name: 'SOAP against (a)', ours: 'triglyphSoap', peer: 'soapPackage', least },
      { name: 'JSON against (b), JSON', ours: 'triglyphJson', peer: 'bareKoa' },
    ],
    // With few details the request itself costs more than they do.
    ...(details >= 100 ? { usPerDetailMax: 5 } : {}),
  };
}
