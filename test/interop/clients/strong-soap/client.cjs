/** A caller on Node: strong-soap from a WSDL. */
const { soap } = require('strong-soap');

const [document, endpoint, shopper] = process.argv.slice(2);
const clientFor = (password) =>
  new Promise((resolve, reject) => {
    soap.createClient(document, { endpoint }, (error, client) => {
      if (error) return reject(error);
      client.setEndpoint(endpoint);
      client.setSecurity(new soap.BasicAuthSecurity('ws@Company.Demo', password));
      resolve(client);
    });
  });
const call = async (client, operation, request, headers = {}) => {
  const { result } = await client[operation]({ request }, {}, headers);
  return result.result;
};

const say = (name, value) => console.log(`${name}=${value ?? 'nil'}`);
const day = (date) => date && new Date(date).toISOString().slice(0, 10);
const fault = async (name, ...asked) => {
  try {
    await call(...asked);
    say(`fault.${name}`, 'none');
  } catch (thrown) {
    // Its own message quotes the reason of SOAP 1.2 as JSON.
    const reason = thrown.root?.Envelope.Body.Fault.Reason;
    say(`fault.${name}`, reason?.Text.$value ?? thrown.message);
  }
};
// Values of any type are objects with their attributes.
const text = (value) => value?.$value ?? value;

const account = { merchantAccount: 'DemoMerchant', shopperReference: shopper };
const card = { expiryMonth: '08', expiryYear: '2031', holderName: 'Zoë <&> Ω', number: '4111111111111111', cvc: '737' };
const token = {
  additionalData: { entry: [{ key: 'a.b', value: 'ä & ö' }] },
  card,
  ...account,
  recurring: { contract: 'RECURRING, ONECLICK' },
  shopperEmail: 'stack@example.com',
};

const main = async () => {
  const client = await clientFor('demo-password');
  const keyed = { 'Idempotency-Key': shopper };
  const stored = await call(client, 'storeToken', token, keyed);
  say('store.result', stored.result);
  say('store.reference', stored.recurringDetailReference);
  say('store.pspReference', stored.pspReference);
  say('again.pspReference', (await call(client, 'storeToken', token, keyed)).pspReference);

  const list = await call(client, 'listRecurringDetails', account);
  say('list.shopper', list.shopperReference);
  say('list.email', list.lastKnownShopperEmail);
  say('list.date', day(list.creationDate));
  const details = [list.details.RecurringDetail].flat();
  say('list.count', details.length);
  const [detail] = details;
  say('detail.reference', detail.recurringDetailReference);
  say('detail.holder', detail.card.holderName);
  say('detail.number', detail.card.number);
  say('detail.expiry', `${detail.card.expiryMonth}/${detail.card.expiryYear}`);
  say('detail.variant', detail.variant);
  say('detail.contracts', [detail.contractTypes.string].flat().join(','));
  say('detail.date', day(detail.creationDate));
  for (const { key, value } of [detail.additionalData.entry].flat()) say(`detail.map.${text(key)}`, text(value));
  say('detail.bank', detail.bank);
  say('detail.elv', detail.elv);
  say('detail.cvc', detail.card.cvc);

  const demo = await call(client, 'listRecurringDetails', { ...account, shopperReference: 'shopper-1' });
  const bank = demo.details.RecurringDetail[2];
  say('bank.iban', bank.bank.iban);
  say('bank.card', bank.card);

  const holders = await call(client, 'tokenLookup', {
    merchantAccount: 'DemoMerchant',
    bank: { iban: 'NL13TEST0123456789', ownerName: 'Anna' },
  });
  say('lookup.shopper', [holders.tokens.TokenDetail].flat()[0].shopperReference);

  const unknown = await call(client, 'listRecurringDetails', { ...account, shopperReference: 'unknown-shopper' });
  say('unknown.count', [unknown.details?.RecurringDetail ?? []].flat().length);
  say('unknown.email', unknown.lastKnownShopperEmail);
  say('unknown.date', unknown.creationDate);

  const { recurringDetailReference } = stored;
  const update = await call(client, 'scheduleAccountUpdater', {
    ...account,
    reference: 'check-1',
    selectedRecurringDetailReference: recurringDetailReference,
  });
  say('update.result', update.result);
  say('update.pspReference', update.pspReference);

  say('disable.response', (await call(client, 'disable', { ...account, recurringDetailReference })).response);

  await fault('contract', client, 'disable', account);
  await fault('merchant', client, 'listRecurringDetails', { ...account, merchantAccount: 'OtherMerchant' });
  await fault('field', client, 'storeToken', { ...token, card: { ...card, expiryMonth: '13' } });
  await fault('credentials', await clientFor('wrong'), 'listRecurringDetails', account);
};

main().catch((thrown) => {
  console.error(thrown.message);
  process.exitCode = 1;
});
