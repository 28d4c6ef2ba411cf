<?php
// A classic caller: PHP's SoapClient from the served WSDL, no hand-written type. Prints what it understood as JSON.
[, $wsdl, $user, $password, $version] = $argv;
$client = new SoapClient($wsdl, [
    'login' => $user,
    'password' => $password,
    'cache_wsdl' => WSDL_CACHE_NONE,
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);
$shopper = "php-$version";
$account = ['merchantAccount' => 'DemoMerchant', 'shopperReference' => $shopper];
$seen = [];
$seen['store'] = $client->storeToken(['request' => $account + [
    'card' => ['number' => '4111111111111111', 'expiryMonth' => '08', 'expiryYear' => '2031', 'holderName' => 'Zoë <&> Ω', 'cvc' => '737'],
    'recurring' => ['contract' => 'RECURRING, ONECLICK'],
    'additionalData' => ['entry' => [['key' => 'a.b', 'value' => 'c']]],
    'shopperEmail' => 'stack@example.com',
]])->result;
$seen['list'] = $client->listRecurringDetails(['request' => $account + ['recurring' => ['contract' => 'ONECLICK']]])->result;
$seen['unknown'] = $client->listRecurringDetails(['request' => ['shopperReference' => 'nobody'] + $account])->result;
$seen['holders'] = $client->tokenLookup(['request' => [
    'merchantAccount' => 'DemoMerchant',
    'bank' => ['iban' => 'NL13TEST0123456789', 'ownerName' => 'Anna'],
]])->result;
$seen['update'] = $client->scheduleAccountUpdater(['request' => $account + [
    'reference' => 'check-1',
    'selectedRecurringDetailReference' => $seen['store']->recurringDetailReference,
]])->result;
$seen['disable'] = $client->disable(['request' => $account + [
    'recurringDetailReference' => $seen['store']->recurringDetailReference,
]])->result;
try {
    $client->disable(['request' => $account]);
} catch (SoapFault $fault) {
    $seen['fault'] = $fault->getMessage();
}
echo json_encode($seen);
