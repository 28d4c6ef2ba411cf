/** A caller on Node: the `soap` package from a WSDL, no hand-written type. */
import soap from 'soap';

const [document, endpoint, shopper, version] = process.argv.slice(2);
const clientFor = async (password) => {
  const client = await soap.createClientAsync(document, { forceSoap12Headers: version === '1.2' }, endpoint);
  client.setSecurity(new soap.BasicAuthSecurity('ws@Company.Demo', password));
  return client;
};
const client = await clientFor('demo-password');
const call = async (operation, request, caller = client, headers = {}) =>
  (await caller[`${operation}Async`]({ request }, {}, headers))[0].result;

const say = (name, value) => console.log(`${name}=${value ?? 'nil'}`);
const day = (date) => date?.toISOString().slice(0, 10);
const fault = async (name, ...asked) => {
  try {
    await call(...asked);
    say(`fault.${name}`, 'none');
  } catch (thrown) {
    // Its own message quotes the detail as well.
    const { faultstring, Reason } = thrown.root.Envelope.Body.Fault;
    say(`fault.${name}`, faultstring ?? Reason.Text.$value ?? Reason.Text);
  }
};

const account = { merchantAccount: 'DemoMerchant', shopperReference: shopper };
const card = { expiryMonth: '08', expiryYear: '2031', holderName: 'Zoë <&> Ω', number: '4111111111111111', cvc: '737' };
const token = {
  additionalData: { entry: [{ key: 'a.b', value: 'ä & ö' }] },
  card,
  ...account,
  recurring: { contract: 'RECURRING, ONECLICK' },
  shopperEmail: 'stack@example.com',
};

const keyed = { 'Idempotency-Key': shopper };
const stored = await call('storeToken', token, client, keyed);
say('store.result', stored.result);
say('store.reference', stored.recurringDetailReference);
say('store.pspReference', stored.pspReference);
say('again.pspReference', (await call('storeToken', token, client, keyed)).pspReference);

const list = await call('listRecurringDetails', { ...account, recurring: { contract: 'ONECLICK' } });
say('list.shopper', list.shopperReference);
say('list.email', list.lastKnownShopperEmail);
say('list.date', day(list.creationDate));
say('list.count', list.details.RecurringDetail.length);
const [detail] = list.details.RecurringDetail;
say('detail.reference', detail.recurringDetailReference);
say('detail.holder', detail.card.holderName);
say('detail.number', detail.card.number);
say('detail.expiry', `${detail.card.expiryMonth}/${detail.card.expiryYear}`);
say('detail.variant', detail.variant);
say('detail.contracts', detail.contractTypes.string.join(','));
say('detail.date', day(detail.creationDate));
// A value of any type is an object with its attributes.
const text = (value) => value?.$value ?? value;
for (const { key, value } of [detail.additionalData.entry].flat()) say(`detail.map.${text(key)}`, text(value));
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
say('lookup.shopper', holders.tokens.TokenDetail[0].shopperReference);

const unknown = await call('listRecurringDetails', { ...account, shopperReference: 'unknown-shopper' });
say('unknown.count', unknown.details?.RecurringDetail?.length ?? 0);
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
await fault('credentials', 'listRecurringDetails', account, await clientFor('wrong'));
