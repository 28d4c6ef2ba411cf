<?php
// A caller with stubs of version 1, in PHP's SoapClient. Warnings are exceptions: a member that the document lacks or the answer lacks ends it.
[, $document, $endpoint, $shopper] = $argv;
set_error_handler(function (int $level, string $message): never {
    throw new ErrorException($message, 0, $level);
});
date_default_timezone_set('UTC');

$context = stream_context_create();
function client(string $password): SoapClient
{
    global $document, $endpoint, $context;
    return new SoapClient($document, [
        'location' => $endpoint,
        'login' => 'ws@Company.Demo',
        'password' => $password,
        'cache_wsdl' => WSDL_CACHE_NONE,
        'stream_context' => $context,
    ]);
}
$client = client('demo-password');
$account = ['merchantAccount' => 'DemoMerchant', 'shopperReference' => $shopper];
$card = ['number' => '4111111111111111', 'expiryMonth' => '08', 'expiryYear' => '2031', 'holderName' => 'Zoë <&> Ω', 'cvc' => '737'];
$token = $account + ['card' => $card, 'recurring' => ['contract' => 'RECURRING'], 'shopperEmail' => 'stack@example.com'];

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
function fault(string $name, callable $call): void
{
    try {
        $call();
        say("fault.$name", 'none');
    } catch (SoapFault $fault) {
        say("fault.$name", $fault->getMessage());
    }
}

stream_context_set_option($context, 'http', 'header', "Idempotency-Key: $shopper");
$stored = $client->storeToken(['request' => $token])->result;
say('store.result', $stored->result);
say('store.reference', $stored->recurringDetailReference);
say('store.rechargeReference', $stored->rechargeReference);
say('again.rechargeReference', $client->storeToken(['request' => $token])->result->rechargeReference);
stream_context_set_option($context, 'http', 'header', '');

$list = $client->listRecurringDetails(['request' => $account])->result;
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
say('detail.bank', $detail->bank);
say('detail.elv', $detail->elv);
say('detail.cvc', $detail->card->cvc);

$demo = $client->listRecurringDetails(['request' => ['shopperReference' => 'shopper-1'] + $account])->result;
$bank = $demo->details->RecurringDetail[2];
say('bank.iban', $bank->bank->iban);
say('bank.card', $bank->card);

$unknown = $client->listRecurringDetails(['request' => ['shopperReference' => 'unknown-shopper'] + $account])->result;
say('unknown.count', count((array) ($unknown->details->RecurringDetail ?? [])));
say('unknown.email', $unknown->lastKnownShopperEmail);
say('unknown.date', $unknown->creationDate);

$disable = $account + ['recurringDetailReference' => $stored->recurringDetailReference];
say('disable.response', $client->disable(['request' => $disable])->result->response);
$client->storeToken(['request' => $token]);
$ended = $client->deactivateRecurring(['recurringRequest' => $account])->recurringResult;
say('deactivate.response', $ended->response);
say('deactivate.pspReference', $ended->pspReference);

fault('contract', fn () => $client->disable(['request' => $account]));
fault('merchant', fn () => $client->listRecurringDetails(['request' => ['merchantAccount' => 'OtherMerchant'] + $account]));
fault('field', fn () => $client->storeToken(['request' => ['card' => ['expiryMonth' => '13'] + $card] + $token]));
fault('payment', fn () => $client->submitRecurring(['recurringRequest' => $account]));
fault('credentials', fn () => client('wrong')->listRecurringDetails(['request' => $account]));
