<?php
// PHP's SoapClient with stubs of version 1. Arguments: WSDL, endpoint, shopper. Warnings are exceptions.
[, $document, $endpoint, $shopper] = $argv;
set_error_handler(function (int $level, string $message): never {
    throw new ErrorException($message, 0, $level);
});
$client = new SoapClient($document, [
    'location' => $endpoint,
    'login' => 'ws@Company.Demo',
    'password' => 'demo-password',
    'cache_wsdl' => WSDL_CACHE_NONE,
]);
$account = ['merchantAccount' => 'DemoMerchant', 'shopperReference' => $shopper];
$card = ['number' => '4111111111111111', 'expiryMonth' => '08', 'expiryYear' => '2031', 'holderName' => 'Anna'];

$request = $account + ['card' => $card, 'recurring' => ['contract' => 'RECURRING']];
$stored = $client->storeToken(['request' => $request])->result;
$detail = $client->listRecurringDetails(['request' => $account])->result->details->RecurringDetail;
$named = $account + ['recurringReference' => $stored->recurringDetailReference];
$disabled = $client->deactivateRecurring(['recurringRequest' => $named])->recurringResult;
try {
    $client->submitRecurring(['recurringRequest' => $account]);
    $refusal = null;
} catch (SoapFault $fault) {
    $refusal = $fault->getMessage();
}
echo json_encode([
    'result' => $stored->result,
    'variant' => $detail->variant,
    'expiryMonth' => $detail->card->expiryMonth,
    'response' => $disabled->response,
    'refusal' => $refusal,
]);
