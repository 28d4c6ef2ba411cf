/** The documents that the repository keeps, with a neutral address. */
import { boundOperations, newestOf, type Service, serviceAddress } from '../core/contract/index.ts';
import { runToEnd } from '../core/lib/index.ts';
import { hasBound, hasNamed, type OpenApi, openApisOf, printJson } from './documents.ts';
import { kebabCase } from './names.ts';
import { boundReferencePages, type Printer, referencePages } from './reference.ts';
import { deriveWsdl } from './wsdl.ts';
import { deriveXsd } from './xsd.ts';

export interface CommittedDocument {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/**
 * WSDL of the newest versions and of those at addresses without a version, OpenAPI and reference of the newest ones. `printers`, one for each format, print the
 * examples.
 */
export function committedDocuments(
  services: readonly Service[],
  printers: readonly Printer[],
): readonly CommittedDocument[] {
  return [
    ...services.filter(hasNamed).filter(isCommitted(services)).flatMap(wsdlFiles),
    ...openApisOf(newestOf(services)).map(printOpenApi),
    ...referenceFiles(services, printers),
  ];
}

/** The OpenAPI document of one service with HTTP bindings. */
export function committedOpenApi(service: Service): CommittedDocument {
  return printOpenApi(openApisOf([service]).at(-1)!);
}

function printOpenApi({ file, derive }: OpenApi): CommittedDocument {
  return { path: file, text: printJson(runToEnd(derive(neutralOrigin).whole())) };
}

/** The other versions differ from these in few members, which the reference lists. */
function isCommitted(services: readonly Service[]): (service: Service) => boolean {
  const newest = newestOf(services);
  return (service) => service.legacy !== undefined || newest.includes(service);
}

const neutralOrigin = 'https://gateway.example';

function wsdlFiles(service: Service): readonly CommittedDocument[] {
  const address = neutralOrigin + serviceAddress(service);
  const title = `${service.name}-v${service.version}`;
  const file = (namespace: string) => `${title}-${namespace}.xsd`;
  return [
    { path: `wsdl/${title}.wsdl`, text: deriveWsdl(service, { address, soap12: true }) },
    ...[...deriveXsd(service, file)].map(([namespace, text]) => ({ path: `wsdl/${file(namespace)}`, text })),
  ];
}

function referenceFiles(services: readonly Service[], printers: readonly Printer[]): readonly CommittedDocument[] {
  const bound = newestOf(services).filter(hasBound);
  const carriesBound = ({ carries }: Printer): boolean =>
    bound.some((service) => boundOperations(service).some((operation) => carries(operation, service)));
  const rest = printers.find(carriesBound);
  const others = printers.filter((each) => each !== rest);
  const named = referencePages(services.filter(hasNamed), others).map((page) => ({ folder: 'docs/reference', page }));
  const boundFiles =
    rest === undefined
      ? []
      : bound.flatMap((service) =>
          boundReferencePages(service, rest).map((page) => ({
            folder: `docs/reference/${kebabCase(service.name)}`,
            page,
          })),
        );
  return [...named, ...boundFiles].map(({ folder, page }) => ({ path: `${folder}/${page.file}`, text: page.text }));
}
