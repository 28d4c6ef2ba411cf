/** Checks HTTP Archives against the members and types that version 1.2 of the format requires. */
import { Ajv } from 'ajv';

/** The members of each object: `?` may be absent, `[]` is a list, a capital begins another object. */
const objects: Readonly<Record<string, string>> = {
  Archive: 'log:Log',
  Log: 'version:string creator:Program browser?:Program pages?:Page[] entries:Entry[]',
  Program: 'name:string version:string',
  Page: 'startedDateTime:date id:string title:string pageTimings:PageTimings',
  PageTimings: 'onContentLoad?:number onLoad?:number',
  Entry:
    'pageref?:string startedDateTime:date time:number request:Request response:Response cache:Cache timings:Timings serverIPAddress?:string connection?:string',
  Request:
    'method:string url:url httpVersion:string cookies:Cookie[] headers:Pair[] queryString:Pair[] postData?:PostData headersSize:integer bodySize:integer',
  Response:
    'status:integer statusText:string httpVersion:string cookies:Cookie[] headers:Pair[] content:Content redirectURL:string headersSize:integer bodySize:integer',
  Cookie: 'name:string value:string path?:string domain?:string expires?:date httpOnly?:boolean secure?:boolean',
  Pair: 'name:string value:string',
  PostData: 'mimeType:string params?:Param[] text?:string',
  Param: 'name:string value?:string fileName?:string contentType?:string',
  Content: 'size:integer compression?:integer mimeType:string text?:string encoding?:string',
  Cache: 'beforeRequest?:Cached afterRequest?:Cached',
  Cached: 'expires?:date lastAccess:date eTag:string hitCount:integer',
  Timings: 'blocked?:number dns?:number connect?:number send:number wait:number receive:number ssl?:number',
};

const date = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$` };

/** Returns what differs from the format, as Ajv reports it; an empty list for a valid archive. */
export function faultsOfHar(archive: unknown): readonly unknown[] {
  return validate(archive) ? [] : (validate.errors ?? []);
}

const $defs = Object.fromEntries(Object.entries(objects).map(([name, members]) => [name, schemaOf(members)]));
const validate = new Ajv({ strictTypes: false, formats: { uri: URL.canParse } }).compile({
  $defs,
  $ref: '#/$defs/Archive',
});

function schemaOf(members: string): object {
  const all = members.split(' ').map((member) => {
    const [name = '', type = ''] = member.split(':');
    const one = typeSchema(type.replace('[]', ''));
    return {
      name: name.replace('?', ''),
      isRequired: !name.endsWith('?'),
      schema: type.endsWith('[]') ? { type: 'array', items: one } : one,
    };
  });
  return {
    type: 'object',
    required: all.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    properties: {
      comment: { type: 'string' },
      ...Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
    },
  };
}

function typeSchema(type: string): object {
  if (type === 'date') return date;
  if (type === 'url') return { type: 'string', format: 'uri' };
  return Object.hasOwn(objects, type) ? { $ref: `#/$defs/${type}` } : { type };
}
