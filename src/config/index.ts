/** Settings: their table, the origin of their values, and checks. */
export * from './admin-access.ts';
export {
  type Config,
  ConfigError,
  hasDatabase,
  inspectConfig,
  listSettings,
  productionFaultsOfServices,
  readConfig,
  type SettingReport,
  settingNamed,
  settingsInMemory,
  settingWithoutDatabase,
  type Variables,
  valuesOf,
  variableNames,
} from './config.ts';
export * from './did-you-mean.ts';
export * from './key-file-of-folder.ts';
export * from './origin.ts';
export {
  defineSettings,
  integer,
  type Mode,
  oneOf,
  onOrOff,
  optional,
  origin as originSetting,
  type Parsed,
  retentionMs,
  type Setting,
  type SettingGroup,
  type SettingTable,
  setting,
  text,
  token,
  type ValuesOf,
} from './setting.ts';
export { settings } from './settings.ts';
export * from './tls-files.ts';
export { closest } from './unknown-variables.ts';
export * from './variable-sources.ts';
export * from './version.ts';
