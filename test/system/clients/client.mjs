/** A caller on Node: the `soap` package from the served WSDL, no hand-written type. Prints what it understood as JSON. */
import soap from 'soap';

const [wsdl, user, password, version] = process.argv.slice(2);
const client = await soap.createClientAsync(wsdl, { forceSoap12Headers: version === '1.2' });
client.setSecurity(new soap.BasicAuthSecurity(user, password));
const call = async (operation, request) => (await client[`${operation}Async`]({ request }))[0].result;
const account = { merchantAccount: 'DemoMerchant', shopperReference: `node-${version}` };
const seen = {};
seen.store = await call('storeToken', {
  additionalData: { entry: [{ key: 'a.b', value: 'c' }] },
  card: { expiryMonth: '08', expiryYear: '2031', holderName: 'Zoë <&> Ω', number: '4111111111111111', cvc: '737' },
  ...account,
  recurring: { contract: 'RECURRING, ONECLICK' },
  shopperEmail: 'stack@example.com',
});
seen.list = await call('listRecurringDetails', { ...account, recurring: { contract: 'ONECLICK' } });
seen.unknown = await call('listRecurringDetails', { ...account, shopperReference: 'nobody' });
seen.holders = await call('tokenLookup', {
  bank: { iban: 'NL13TEST0123456789', ownerName: 'Anna' },
  merchantAccount: 'DemoMerchant',
});
const { recurringDetailReference } = seen.store;
seen.update = await call('scheduleAccountUpdater', {
  ...account,
  reference: 'check-1',
  selectedRecurringDetailReference: recurringDetailReference,
});
seen.disable = await call('disable', { ...account, recurringDetailReference });
seen.fault = await call('disable', account).catch(({ root }) => {
  const { faultstring, Reason } = root.Envelope.Body.Fault;
  return faultstring ?? Reason.Text.$value ?? Reason.Text;
});
console.log(JSON.stringify(seen));
