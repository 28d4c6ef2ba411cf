/** The configuration of a project whose service is mocked. */
import { orders } from '../../../examples/orders/orders.ts';
import { defineConfig } from '../../../src/program/api/index.ts';

export default defineConfig({ services: [orders] });
