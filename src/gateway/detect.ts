/** Detection, first and total: whatever comes in, there is a protocol to answer it in. */
import { isAdapterAddress, unversioned } from '../contract/address.ts';
import { byMediaType, type Protocols } from '../formats/index.ts';
import type { Media, Protocol } from '../formats/protocol.ts';
import type { WireRequest } from '../formats/wire.ts';

export interface Detected {
  readonly protocol: Protocol;
  readonly media: Media;
  /** The protocol's media type and charset were declared, so that its body can be read. */
  readonly understood: boolean;
}

const none: Media = Object.freeze({ type: '', charset: undefined });

/** `application/json; charset="UTF-8"`; other parameters are let pass (SOAP 1.2 has `action`). */
const parseMedia = (header: string): Media => {
  const [type = '', ...parameters] = header.split(';');
  const charsets = parameters.flatMap((each) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(each)?.[1] ?? []);
  // Two of them, or an empty one, are no charset that anyone speaks.
  const charset = charsets.length > 1 ? '' : charsets[0]?.toLowerCase();
  return Object.freeze({ type: type.trim().toLowerCase(), charset });
};

const mediaMax = 256;
const media = new Map<string, Media>();

/** The handful of headers that clients really send is parsed once. */
const mediaOf = (header: string | undefined): Media => {
  if (header === undefined) return none;
  const known = media.get(header);
  if (known !== undefined) return known;
  const parsed = parseMedia(header);
  if (media.size < mediaMax && header.length < 200) media.set(header, parsed);
  return parsed;
};

/** Who declares nothing that is spoken here is answered as the address or Accept suggests, and else in JSON. */
const guess = ({ path, headers }: WireRequest, protocols: Protocols): Protocol =>
  path.startsWith(unversioned) || /xml/i.test(headers.accept?.slice(0, 200) ?? '') ? protocols.soap11 : protocols.json;

/** At an address of resources only JSON is spoken; a request that has no body need not say so. */
export const detectOfResources = ({ method, headers }: WireRequest, protocol: Protocol): Detected => {
  const media = mediaOf(headers['content-type']);
  const spoken = method === 'GET' || media.type === '' || byMediaType[media.type] === 'json';
  const readable = media.charset === undefined || protocol.charsets.includes(media.charset);
  return { protocol, media, understood: spoken && readable };
};

export const detect = (wire: WireRequest, protocols: Protocols): Detected => {
  const declared = mediaOf(wire.headers['content-type']);
  const name = Object.hasOwn(byMediaType, declared.type) ? byMediaType[declared.type] : undefined;
  const atAdapter = isAdapterAddress(wire.path);
  const protocol = atAdapter ? protocols.adapter : name && protocols[name];
  if (protocol === undefined) return { protocol: guess(wire, protocols), media: declared, understood: false };
  const spoken = !atAdapter || name === 'form';
  const readable = declared.charset === undefined || protocol.charsets.includes(declared.charset);
  return { protocol, media: declared, understood: spoken && readable };
};
