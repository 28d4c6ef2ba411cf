/** Serves the orders from ./data. */
import { createGateway } from 'triglyph';
import { orders } from './orders.ts';

const gateway = await createGateway({ services: [orders], store: { dataDir: './data' } });
console.log(await gateway.listen({ port: 8080 }));
