/** The package `triglyph`: a gateway inside a program. */

export type { IssuedSecret, NewCertificateCredential, NewCredential } from '../../access/credentials/add-credential.ts';
export type { ListedCredential } from '../../access/credentials/credential-list.ts';
export type { CredentialChanges, CredentialRegistry } from '../../access/credentials/credential-registry.ts';
export {
  type CredentialKind,
  type Grants,
  RegistryError,
  type StoredKind,
} from '../../access/credentials/credential-rules.ts';
export type { GatewayService } from '../../backend/define-service.ts';
export type { GatewayCaller } from '../../backend/upstreams/named-callers.ts';
export type {
  AnsweredBy,
  ClientCredentials,
  FixedCredential,
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
} from '../../backend/upstreams/options.ts';
export { ConfigError } from '../../config/config.ts';
export type { LanguageName } from '../../convert/call-source.ts';
export type {
  Coercion,
  Conversion,
  ConversionIssue,
  ConversionTarget,
  ConvertedMessage,
  ConvertOptions,
  RefusalContent,
  RefusedField,
} from '../../convert/conversion.ts';
export { ConversionError } from '../../convert/conversion-error.ts';
export type { MessageHints, MessageSide } from '../../convert/identify-message.ts';
export type { MessagePlace } from '../../convert/locate.ts';
export type { Change } from '../../convert/scalar-changes.ts';
export type { Service } from '../../core/contract/service.ts';
export type { ProtocolName, UpstreamFormat } from '../../core/formats/wire-formats.ts';
export { Unavailable } from '../../core/lib/unavailable.ts';
export { KeyRingError } from '../../core/vault/key-ring.ts';
export type { AcceptedText, RuleTexts } from '../../forward/compare/rules.ts';
export type { MountedContext, MountedMiddleware, RequestHandler } from '../../http/mount.ts';
export type { BrownOut, RepeatedBrownOut, Repetition, SingleBrownOut } from '../../insight/callers/brown-out.ts';
export type { DeprecationRule, FormatName, OneOrMore } from '../../insight/callers/deprecation.ts';
export { balancePlatform } from '../../payments/balance-platform/index.ts';
export { recurring } from '../../payments/recurring/index.ts';
export { StoreUnavailable } from '../../stores/errors.ts';
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
