<?php
// Calls one operation of a depot by the WSDL of the gateway: document, format, operation, input in JSON, session. Prints JSON.
[, $document, $format, $operation, $input, $session] = $argv;
$namespace = 'urn:example:depot';
$client = new SoapClient($document, [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'soap_version' => $format === 'SOAP 1.2' ? SOAP_1_2 : SOAP_1_1,
]);
$header = $session === '' ? null : [new SoapHeader($namespace, 'Session', ['sessionId' => $session])];
try {
    $answer = $client->__soapCall($operation, [json_decode($input)], null, $header, $headers);
    $answer = (array) $answer;
    if ($headers !== []) {
        $answer['soapHeaders'] = $headers;
    }
} catch (SoapFault $fault) {
    $answer = ['message' => $fault->faultstring, 'fault' => $fault->detail ?? null];
}
echo json_encode($answer);
