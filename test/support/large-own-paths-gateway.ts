/** A gateway in a process of its own, whose memory is measured: `fork` it with the address of its server and its settings as JSON. */
import { openFilesGateway } from './large-own-paths.ts';

const [url = '', settings = '{}'] = process.argv.slice(2);
const { origin } = await (await openFilesGateway(url, JSON.parse(settings))).listen();
process.send?.(origin);
