<?php
// PHP's SoapClient from the WSDL that was imported. Arguments: WSDL, address, key, operation, parameters in JSON.
[, $wsdl, $address, $secret, $operation, $parameters] = $argv;
$client = new SoapClient($wsdl, [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'location' => $address,
    'stream_context' => stream_context_create(['http' => ['header' => "X-API-Key: $secret"]]),
]);
echo json_encode($client->__soapCall($operation, json_decode($parameters, true)));
