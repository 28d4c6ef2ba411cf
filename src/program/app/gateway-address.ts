/** The address of a gateway that listens, and those of its formats and documents. */
import { inspect } from 'node:util';
import { boundOperations, namedOperations, newestOf, type Service, serviceAddress } from '../../core/contract/index.ts';

/** Where a gateway listens. As a text it is its origin; `console.log` prints the address of each format and document. */
export class GatewayAddress {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly #services: readonly Service[];

  /** @internal */
  constructor(origin: string, services: readonly Service[]) {
    this.origin = origin;
    this.#services = newestOf(services);
  }

  toString(): string {
    return this.origin;
  }

  /** @internal */
  [inspect.custom](): string {
    return [this.origin, ...this.#services.flatMap((service) => this.#linesOf(service))].join('\n');
  }

  #linesOf(service: Service): readonly string[] {
    const address = this.origin + serviceAddress(service);
    const { adapter } = service.legacy ?? {};
    const isNamed = namedOperations(service).length > 0;
    const rows = [
      ...(isNamed
        ? [
            ['JSON, FORM', `${address}/<operation>`],
            ['SOAP', address],
            ['WSDL', `${address}?wsdl`],
          ]
        : []),
      ...(adapter === undefined ? [] : [['FORM adapter', this.origin + adapter]]),
      ...boundOperations(service).map(({ http }) => [`REST ${http.method}`, address + http.path]),
      ['OpenAPI', `${address}/openapi.json`],
    ];
    return [
      '',
      `${service.name}, version ${service.version}`,
      ...rows.map(([name = '', at]) => `  ${name.padEnd(12)} ${at}`),
    ];
  }
}
