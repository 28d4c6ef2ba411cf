/** The `soap` package from the WSDL that was imported. Arguments: WSDL, address, key, operation, parameters in JSON. */
import soap from 'soap';

const [wsdl, address, secret, operation, parameters] = process.argv.slice(2);
const client = await soap.createClientAsync(wsdl, { endpoint: address });
client.addHttpHeader('X-API-Key', secret);
const [answer] = await client[`${operation}Async`](JSON.parse(parameters));
console.log(JSON.stringify(answer));
