/** Manifests of Kubernetes, and their schemas. */
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say what is in it.
  readonly [name: string]: any;
}

export function readManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Manifest);
}

export interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
  readonly secretGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
}

/** The names of the secrets and of the settings that manifests use, sorted. */
export function generatedNamesIn(manifests: readonly Manifest[]): readonly string[] {
  const text = JSON.stringify(manifests);
  const found = text.matchAll(/"secretName":"([^"]+)"|"(?:secretKeyRef|configMapRef)":\{"name":"([^"]+)"/g);
  return [...new Set([...found].map(([, ofVolume, ofVariable]) => ofVolume ?? ofVariable ?? ''))].sort();
}

/** Throws where the manifest does not match the schema of its kind, or has a member that the schema does not read. */
export async function validateManifest(manifest: Manifest): Promise<void> {
  const [version, group = 'core'] = manifest.apiVersion.split('/').reverse() as [string, string?];
  const name = [group.split('.')[0]!, version].map((part) => part[0]!.toUpperCase() + part.slice(1)).join('');
  const { validate: isValid } = (await import(`kubernetes-models/_schemas/IoK8sApi${name}${manifest.kind}`)) as {
    readonly validate: ((data: unknown) => boolean) & { readonly errors?: readonly object[] };
  };
  const unread = new Set<string>();
  if (!isValid(watchReads(manifest, '', unread))) throw new Error(JSON.stringify(isValid.errors));
  if (unread.size > 0) throw new Error(`unknown: ${[...unread].join(', ')}`);
}

/** Keeps the paths of all members in `unread` until they are read. */
function watchReads(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    unread.add(`${path}/${name}`);
    return [name, watchReads(member, `${path}/${name}`, unread)] as const;
  });
  const target = Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  return new Proxy(target, {
    get(object, name, receiver) {
      unread.delete(`${path}/${String(name)}`);
      return Reflect.get(object, name, receiver);
    },
  });
}
