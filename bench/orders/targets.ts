/** What is measured: one order read in JSON and SOAP from each server, and a built-in operation of like size. */
import { getOrder, ordersV1 } from '../../examples/orders/contract.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { demoAuthorization } from '../../test/support/server.ts';
import type { LoadTarget } from '../load.ts';

/** Two processes of one program differ by some per cent, so the compared gateways have two each; `builtIn` has other load. */
export const gatewayNames = ['alone', 'aloneAgain', 'together', 'togetherAgain', 'builtIn'] as const;
export const serverNames = [...gatewayNames, 'bareKoa', 'fastify', 'soapPackage'] as const;
export type GatewayName = (typeof gatewayNames)[number];
export type ServerName = (typeof serverNames)[number];
export type Ports = Readonly<Record<ServerName, number>>;

export interface OrderTarget extends LoadTarget {
  readonly server: ServerName;
  readonly format: 'json' | 'soap11';
  /** Otherwise it is the built-in operation. */
  readonly readsOrder: boolean;
  /** Throws for a response that is not the order. */
  check(body: string): void;
}

export const order = { shop: 'amsterdam', number: 'A-1001', item: 'Bicycle', quantity: 2 };

export const titles = { json: 'JSON', soap11: 'SOAP' } as const;

const protocols = createProtocols([ordersV1, recurringV25]);

interface Request {
  readonly service: Service;
  readonly operation: Operation;
  readonly input: object;
  /** The response has these values. */
  readonly values: readonly string[];
}

const reading: Request = {
  service: ordersV1,
  operation: getOrder,
  input: { shop: order.shop, number: order.number },
  values: [order.item, String(order.quantity)],
};
/** An unknown shopper: two fields in, and an answer without details. */
const listing: Request = {
  service: recurringV25,
  operation: recurringV25.operations.get('listRecurringDetails')!,
  input: { merchantAccount: 'DemoMerchant', shopperReference: 'unknown' },
  values: [],
};

export function targetsAt(ports: Ports, secret: Readonly<Partial<Record<ServerName, string>>>): readonly OrderTarget[] {
  const keyOf = (server: ServerName) => ({ 'X-API-Key': secret[server] ?? 'none' });
  const demo = { Authorization: demoAuthorization };
  const at = (name: string, server: ServerName, format: OrderTarget['format'], request = reading): OrderTarget => {
    const { service, operation, input, values } = request;
    const { path, contentType, body } = protocols[format].encodeRequest(service, operation, input);
    return {
      name,
      server,
      format,
      readsOrder: request === reading,
      url: `http://127.0.0.1:${ports[server]}${path}`,
      headers: { ...(request === reading ? keyOf(server) : demo), 'Content-Type': contentType, SOAPAction: '""' },
      body,
      check(answer) {
        const missing = values.find((value) => !answer.includes(value));
        if (missing !== undefined) throw new Error(`${name}: the answer lacks ${missing}: ${answer}`);
      },
    };
  };
  return [
    ...(['json', 'soap11'] as const).flatMap((format) => [
      at(`orders alone, ${titles[format]}`, 'alone', format),
      at(`orders alone, a second process, ${titles[format]}`, 'aloneAgain', format),
      at(`orders next to the built-in services, ${titles[format]}`, 'together', format),
      at(`orders next to the built-in services, a second process, ${titles[format]}`, 'togetherAgain', format),
    ]),
    at('built-in listing without details, JSON', 'builtIn', 'json', listing),
    at('built-in listing without details, SOAP', 'builtIn', 'soap11', listing),
    at('bare Koa, JSON', 'bareKoa', 'json'),
    at('Fastify, JSON', 'fastify', 'json'),
    at('`soap` package, SOAP', 'soapPackage', 'soap11'),
  ];
}
