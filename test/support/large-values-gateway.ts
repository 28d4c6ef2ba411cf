/** A gateway in a process of its own, whose memory is measured: `fork` it with the address of its server and its settings as JSON. */
import { createGateway } from '../../src/program/api/index.ts';
import { unhurried } from './large-own-paths.ts';
import { files } from './large-values.ts';

const [url = '', mtom = '', settings = '{}'] = process.argv.slice(2);
const gateway = await createGateway({
  services: [files.answeredBy('echo')],
  upstreams: {
    echo: {
      ...{ url, format: 'soap11', credentials: 'forward', singleAddress: true, mtom: mtom === 'mtom' },
      responseBytesMax: 500_000_000,
      timeouts: unhurried,
    },
  },
  settings: { LOG_LEVEL: 'silent', ...JSON.parse(settings) },
});
const { origin } = await gateway.listen();
process.send?.(origin);
