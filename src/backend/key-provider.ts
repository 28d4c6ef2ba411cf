/** Selects where the keys come from, and reads them. */

import { type Config, ConfigError, inspectConfig, keyFileIn, VariableSources } from '../config/index.ts';
import { clearKeys, createTransitKeys, type KeyProvider, type KeyRing, KeyRingError } from '../core/vault/index.ts';

type KmsConfig = Pick<
  Config,
  'kmsUrl' | 'kmsMount' | 'kmsKey' | 'kmsTokenFile' | 'kmsNamespace' | 'kmsCaFile' | 'kmsMsMax'
>;

export function keyProviderOf(config: KmsConfig): KeyProvider {
  const { kmsUrl, kmsMount, kmsKey, kmsTokenFile, kmsNamespace, kmsCaFile, kmsMsMax } = config;
  if (kmsUrl === undefined || kmsTokenFile === undefined) return clearKeys;
  return createTransitKeys({
    url: kmsUrl,
    mount: kmsMount,
    key: kmsKey,
    tokenFile: kmsTokenFile,
    namespace: kmsNamespace,
    caFile: kmsCaFile,
    msMax: kmsMsMax,
  });
}

/** For commands that write a key file, which the other settings may name before it exists. Throws ConfigError. */
export function readKeyProvider(sources: VariableSources): KeyProvider {
  const variables = Object.entries(sources.variables).filter(([name]) => name.startsWith('KMS_'));
  const kms = new VariableSources({ name: 'environment', variables: Object.fromEntries(variables) });
  const { config, problems } = inspectConfig('production', kms);
  if (config === undefined) throw new ConfigError(problems);
  return keyProviderOf(config);
}

/** Throws KeyRingError, and KmsUnavailable where the service gives no keys. */
export async function readKeys(
  { keys, keyFile, dataDir }: Pick<Config, 'keys' | 'keyFile' | 'dataDir'>,
  provider: KeyProvider,
): Promise<KeyRing> {
  if (keys !== undefined) return openKeys(keys, keyFile, provider);
  const file = keyFileIn(dataDir);
  const example = file === undefined ? '' : `, such as KEY_FILE=${file}`;
  throw new KeyRingError(`there are no keys: name a key file in KEY_FILE${example}`);
}

async function openKeys(keys: string, keyFile: string | undefined, provider: KeyProvider): Promise<KeyRing> {
  try {
    return await provider.open(keys);
  } catch (thrown) {
    if (keyFile === undefined || !(thrown instanceof KeyRingError)) throw thrown;
    throw new KeyRingError(`KEY_FILE ${keyFile}: ${thrown.message}`, { cause: thrown });
  }
}
