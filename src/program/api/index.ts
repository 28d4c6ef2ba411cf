/** The package `triglyph`: a gateway inside a program. */

export {
  type CredentialChanges,
  type CredentialKind,
  type CredentialRegistry,
  type Grants,
  type IssuedSecret,
  type ListedCredential,
  type NewCertificateCredential,
  type NewCredential,
  RegistryError,
  type StoredKind,
} from '../../access/index.ts';
export type {
  AnsweredBy,
  ClientCredentials,
  FixedCredential,
  GatewayCaller,
  GatewayService,
  LookupValue,
  SecretSource,
  SessionInput,
  ShadowOptions,
  ShadowRollback,
  SoapHeaderContent,
  SoapHeaderText,
  UpstreamCredentials,
  UpstreamLookup,
  UpstreamOptions,
  UpstreamSession,
  Upstreams,
  UpstreamTimeouts,
  UpstreamTls,
  WsSecurity,
} from '../../backend/index.ts';
export { ConfigError } from '../../config/index.ts';
export {
  type Change,
  type Coercion,
  type Conversion,
  ConversionError,
  type ConversionIssue,
  type ConversionTarget,
  type ConvertedMessage,
  type ConvertOptions,
  type LanguageName,
  type MessageHints,
  type MessagePlace,
  type MessageSide,
  type RefusalContent,
  type RefusedField,
} from '../../convert/index.ts';
export type { Service } from '../../core/contract/index.ts';
export type { ProtocolName, UpstreamFormat } from '../../core/formats/index.ts';
export { Unavailable } from '../../core/lib/index.ts';
export { KeyRingError } from '../../core/vault/index.ts';
export type { AcceptedText, RuleTexts } from '../../forward/index.ts';
export type { MountedContext, MountedMiddleware, RequestHandler } from '../../http/index.ts';
export type {
  BrownOut,
  DeprecationRule,
  FormatName,
  OneOrMore,
  RepeatedBrownOut,
  Repetition,
  SingleBrownOut,
} from '../../insight/index.ts';
export { balancePlatform, recurring } from '../../payments/index.ts';
export { StoreUnavailable } from '../../stores/index.ts';
export type { ConfigContent, SettingTexts } from '../app/config-file.ts';
export {
  type ControlledOptions,
  createGateway,
  type GatewayOptions,
  type ListenOptions,
  type RunningGateway,
  type StoreOptions,
} from '../app/create-gateway.ts';
export { GatewayAddress } from '../app/gateway-address.ts';
export { type BuiltInOptions, builtIn } from '../testing/demo/built-in.ts';
export { type ConfigFile, defineConfig, type SettingName } from './config-file.ts';
export { type ConversionOptions, convert } from './convert.ts';
