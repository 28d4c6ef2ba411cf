/** The package `triglyph`: a gateway inside a program. */

export { ConfigError } from '../app/config.ts';
export { type ConfigFile, defineConfig, type SettingName, type SettingValues } from '../app/config-file.ts';
export {
  type BundledServices,
  createGateway,
  type GatewayOptions,
  type GatewayService,
  type ListenOptions,
  type RunningGateway,
  type StoreOptions,
} from '../app/create-gateway.ts';
export type { OwnService } from '../app/own-services.ts';
export type {
  AnsweredBy,
  FixedCredential,
  SecretSource,
  UpstreamCredentials,
  UpstreamFormat,
  UpstreamOptions,
  Upstreams,
  UpstreamTimeouts,
  UpstreamTls,
} from '../app/upstreams/options.ts';
export type { BrownOut, RepeatedBrownOut, Repetition, SingleBrownOut } from '../callers/brown-out.ts';
export type { DeprecationRule, FormatName, OneOrMore } from '../callers/deprecation.ts';
export type { Service } from '../contract/service.ts';
export type { LanguageName } from '../convert/call-source.ts';
export type {
  Coercion,
  Conversion,
  ConversionIssue,
  ConversionTarget,
  ConvertedMessage,
  ConvertOptions,
  RefusalContent,
  RefusedField,
} from '../convert/conversion.ts';
export { ConversionError } from '../convert/conversion-error.ts';
export type { MessageHints, MessageSide } from '../convert/identify-message.ts';
export type { MessagePlace } from '../convert/locate/place.ts';
export type { Change } from '../convert/scalar-changes.ts';
export { type BuiltInOptions, builtIn } from '../demo/built-in.ts';
export type { ProtocolName } from '../formats/index.ts';
export type { MountedContext, MountedMiddleware, RequestHandler } from '../http/mount.ts';
export { StoreUnavailable } from '../store/errors.ts';
export type { IssuedSecret, NewCertificateCredential, NewCredential } from '../store/sql/add-credential.ts';
export type { ListedCredential } from '../store/sql/credential-list.ts';
export type { CredentialChanges, CredentialRegistry } from '../store/sql/credential-registry.ts';
export { type CredentialKind, type Grants, RegistryError, type StoredKind } from '../store/sql/credential-rules.ts';
export { KeyRingError } from '../vault/key-ring.ts';
export { type ConversionOptions, convert } from './convert.ts';
