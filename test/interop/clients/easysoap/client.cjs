/** A caller on Node: easysoap, which escapes nothing and has no types. */
const easySoap = require('easysoap');

const [document, endpoint, shopper] = process.argv.slice(2);
const { host, pathname } = new URL(endpoint);
const { pathname: wsdlPath, search } = new URL(document);
const client = easySoap({ host, path: pathname, wsdl: wsdlPath + search });

/** It sends each header twice: in HTTP and, with a namespace, in the envelope. */
const header = (name, value) => ({ name, value, namespace: 'urn:caller' });
const basic = (password) => `Basic ${Buffer.from(`ws@Company.Demo:${password}`).toString('base64')}`;
const call = async (method, request, password = 'demo-password', headers = []) => {
  const { data } = await client.call({
    method,
    headers: [header('Authorization', basic(password)), ...headers],
    attributes: { xmlns: 'http://recurring.services.adyen.com' },
    params: { request },
  });
  if (data.Fault !== undefined) throw new Error(data.Fault.faultstring);
  return data[`${method}Response`].result;
};

const say = (name, value) => console.log(`${name}=${absent(value) ? 'nil' : value}`);
/** An element without content is an empty text or its attributes. */
const absent = (value) => value == null || value === '' || (typeof value === 'object' && !Array.isArray(value));
const day = (date) => date && new Date(date).toISOString().slice(0, 10);
const fault = async (name, ...asked) => {
  try {
    await call(...asked);
    say(`fault.${name}`, 'none');
  } catch (thrown) {
    say(`fault.${name}`, thrown.message);
  }
};
const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const account = { merchantAccount: 'DemoMerchant', shopperReference: shopper };
const card = {
  expiryMonth: '08',
  expiryYear: '2031',
  holderName: escapeXml('Zoë <&> Ω'),
  number: '4111111111111111',
  cvc: '737',
};
const token = {
  additionalData: { entry: [{ key: 'a.b', value: escapeXml('ä & ö') }] },
  card,
  ...account,
  recurring: { contract: 'RECURRING, ONECLICK' },
  shopperEmail: 'stack@example.com',
};

const main = async () => {
  const keyed = ['storeToken', token, 'demo-password', [header('Idempotency-Key', shopper)]];
  const stored = await call(...keyed);
  say('store.result', stored.result);
  say('store.reference', stored.recurringDetailReference);
  say('store.pspReference', stored.pspReference);
  say('again.pspReference', (await call(...keyed)).pspReference);

  const list = await call('listRecurringDetails', account);
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
  const entries = [detail.additionalData.entry].flat();
  for (const { key, value } of entries) say(`detail.map.${key.value}`, value.value);
  say('detail.bank', detail.bank);
  say('detail.elv', detail.elv);
  say('detail.cvc', detail.card.cvc);

  const demo = await call('listRecurringDetails', { ...account, shopperReference: 'shopper-1' });
  const bank = demo.details.RecurringDetail[2];
  say('bank.iban', bank.bank.iban);
  say('bank.card', bank.card);

  const holders = await call('tokenLookup', {
    merchantAccount: 'DemoMerchant',
    bank: { iban: 'NL13TEST0123456789', ownerName: 'Anna' },
  });
  say('lookup.shopper', [holders.tokens.TokenDetail].flat()[0].shopperReference);

  const unknown = await call('listRecurringDetails', { ...account, shopperReference: 'unknown-shopper' });
  say('unknown.count', [unknown.details?.RecurringDetail ?? []].flat().length);
  say('unknown.email', unknown.lastKnownShopperEmail);
  say('unknown.date', unknown.creationDate);

  const { recurringDetailReference } = stored;
  const update = await call('scheduleAccountUpdater', {
    ...account,
    reference: 'check-1',
    selectedRecurringDetailReference: recurringDetailReference,
  });
  say('update.result', update.result);
  say('update.pspReference', update.pspReference);

  say('disable.response', (await call('disable', { ...account, recurringDetailReference })).response);

  await fault('contract', 'disable', account);
  await fault('merchant', 'listRecurringDetails', { ...account, merchantAccount: 'OtherMerchant' });
  await fault('field', 'storeToken', { ...token, card: { ...card, expiryMonth: '13' } });
  await fault('credentials', 'listRecurringDetails', account, 'wrong');
};

main().catch((thrown) => {
  console.error(thrown.message);
  process.exitCode = 1;
});
