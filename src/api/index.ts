/** The package `triglyph`: a gateway inside a program. */
export {
  createGateway,
  type GatewayOptions,
  type ListenOptions,
  type RunningGateway,
  type StoreOptions,
} from '../app/create-gateway.ts';
export { type BuiltInOptions, builtIn } from '../demo/built-in.ts';
