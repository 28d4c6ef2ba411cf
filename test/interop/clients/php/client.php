<?php
// A classic caller: PHP's SoapClient from a WSDL, no hand-written type. Frameworks turn PHP's warnings into exceptions, so this one does.
// VERSION1: from the WSDL of version 1.
[, $document, $endpoint, $shopper, $version] = $argv;
$isNewest = getenv('VERSION1') === false;
set_error_handler(function (int $level, string $message): never {
    throw new ErrorException($message, 0, $level);
});
date_default_timezone_set('UTC');

$context = stream_context_create();
function client(string $password): SoapClient
{
    global $document, $endpoint, $version, $context;
    return new SoapClient($document, [
        'location' => $endpoint,
        'login' => 'ws@Company.Demo',
        'password' => $password,
        'cache_wsdl' => WSDL_CACHE_NONE,
        'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
        'stream_context' => $context,
    ]);
}
$client = client('demo-password');
$account = ['merchantAccount' => 'DemoMerchant', 'shopperReference' => $shopper];
$card = ['number' => '4111111111111111', 'expiryMonth' => '08', 'expiryYear' => '2031', 'holderName' => 'Zoë <&> Ω', 'cvc' => '737'];
$token = $account + [
    'card' => $card,
    'recurring' => ['contract' => $isNewest ? 'RECURRING, ONECLICK' : 'RECURRING'],
    'shopperEmail' => 'stack@example.com',
] + ($isNewest ? ['additionalData' => ['entry' => [['key' => 'a.b', 'value' => 'ä & ö']]]] : []);

function say(string $name, mixed $value): void
{
    echo "$name=", $value ?? 'nil', "\n";
}
function day(?string $date): ?string
{
    return $date === null ? null : date('Y-m-d', strtotime($date));
}
/** One element is an object, several are an array. */
function each(mixed $elements): array
{
    return is_array($elements) ? $elements : [$elements];
}
function fault(string $name, SoapClient $client, string $operation, array $request, string $part = 'request'): void
{
    try {
        $client->$operation([$part => $request]);
        say("fault.$name", 'none');
    } catch (SoapFault $fault) {
        say("fault.$name", $fault->getMessage());
    }
}

stream_context_set_option($context, 'http', 'header', "Idempotency-Key: $shopper");
$stored = $client->storeToken(['request' => $token])->result;
say('store.result', $stored->result);
say('store.reference', $stored->recurringDetailReference);
$pspReference = $isNewest ? 'pspReference' : 'rechargeReference';
say("store.$pspReference", $stored->$pspReference);
say("again.$pspReference", $client->storeToken(['request' => $token])->result->$pspReference);
stream_context_set_option($context, 'http', 'header', '');

$contract = $isNewest ? ['recurring' => ['contract' => 'ONECLICK']] : [];
$list = $client->listRecurringDetails(['request' => $account + $contract])->result;
say('list.shopper', $list->shopperReference);
say('list.email', $list->lastKnownShopperEmail);
say('list.date', day($list->creationDate));
$details = each($list->details->RecurringDetail);
say('list.count', count($details));
$detail = $details[0];
say('detail.reference', $detail->recurringDetailReference);
say('detail.holder', $detail->card->holderName);
say('detail.number', $detail->card->number);
say('detail.expiry', "{$detail->card->expiryMonth}/{$detail->card->expiryYear}");
say('detail.variant', $detail->variant);
say('detail.date', day($detail->creationDate));
if ($isNewest) {
    say('detail.contracts', implode(',', each($detail->contractTypes->string)));
    foreach (each($detail->additionalData->entry) as $entry) {
        say("detail.map.$entry->key", $entry->value);
    }
}
say('detail.bank', $detail->bank);
say('detail.elv', $detail->elv);
say('detail.cvc', $detail->card->cvc);

$demo = $client->listRecurringDetails(['request' => ['merchantAccount' => 'DemoMerchant', 'shopperReference' => 'shopper-1']])->result;
$account3 = $demo->details->RecurringDetail[2];
say('bank.iban', $account3->bank->iban);
say('bank.card', $account3->card);

$unknown = $client->listRecurringDetails(['request' => ['shopperReference' => 'unknown-shopper'] + $account])->result;
say('unknown.count', count((array) ($unknown->details->RecurringDetail ?? [])));
say('unknown.email', $unknown->lastKnownShopperEmail);
say('unknown.date', $unknown->creationDate);

if ($isNewest) {
    $holders = $client->tokenLookup(['request' => [
        'merchantAccount' => 'DemoMerchant',
        'bank' => ['iban' => 'NL13TEST0123456789', 'ownerName' => 'Anna'],
    ]])->result;
    say('lookup.shopper', each($holders->tokens->TokenDetail)[0]->shopperReference);
    $update = $client->scheduleAccountUpdater(['request' => $account + [
        'reference' => 'check-1',
        'selectedRecurringDetailReference' => $stored->recurringDetailReference,
    ]])->result;
    say('update.result', $update->result);
    say('update.pspReference', $update->pspReference);
}

$disable = $account + ['recurringDetailReference' => $stored->recurringDetailReference];
say('disable.response', $client->disable(['request' => $disable])->result->response);
if (!$isNewest) {
    $client->storeToken(['request' => $token]);
    $ended = $client->deactivateRecurring(['recurringRequest' => $account])->recurringResult;
    say('deactivate.response', $ended->response);
    say('deactivate.pspReference', $ended->pspReference);
    fault('payment', $client, 'submitRecurring', $account, 'recurringRequest');
}

fault('contract', $client, 'disable', $account);
fault('merchant', $client, 'listRecurringDetails', ['merchantAccount' => 'OtherMerchant'] + $account);
fault('field', $client, 'storeToken', ['card' => ['expiryMonth' => '13'] + $card] + $token);
fault('credentials', client('wrong'), 'listRecurringDetails', $account);
