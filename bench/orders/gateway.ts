/** A server under measurement: the orders example, alone or next to the built-in services, from DATA_DIR on PORT. */
import { builtIn, createGateway } from 'triglyph';
import { orders } from '../../examples/orders/orders.ts';

const { DATA_DIR: dataDir = '', PORT: port, SERVED: served } = process.env;
const services = served?.startsWith('alone') ? [orders] : [...builtIn().services, orders];
const gateway = await createGateway({ services, store: { dataDir } });
await gateway.listen({ port: Number(port) });
process.once('SIGTERM', () => gateway.close());
