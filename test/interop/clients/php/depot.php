<?php
// Calls one operation of a depot by the WSDL of the gateway: document, format, operation, input in JSON, session. Prints JSON.
[, $document, $format, $operation, $input, $session] = $argv;
$namespace = 'urn:example:depot';

class Truck
{
    public $xsiType = 'Truck';
}

// A value of a type is named by a class.
$typed = function ($value) use ($namespace) {
    $type = $value->carrier->xsiType ?? null;
    if ($type !== null) {
        unset($value->carrier->xsiType);
        $value->carrier = new SoapVar($value->carrier, SOAP_ENC_OBJECT, $type, $namespace);
    }
    return $value;
};
$client = new SoapClient($document, [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'classmap' => ['Truck' => 'Truck'],
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'soap_version' => $format === 'SOAP 1.2' ? SOAP_1_2 : SOAP_1_1,
]);
$header = $session === '' ? null : [new SoapHeader($namespace, 'Session', ['sessionId' => $session])];
try {
    $answer = $client->__soapCall($operation, [$typed(json_decode($input))], null, $header, $headers);
    $answer = (array) $answer;
    if ($headers !== []) {
        $answer['soapHeaders'] = $headers;
    }
} catch (SoapFault $fault) {
    $answer = ['message' => $fault->faultstring, 'fault' => $fault->detail ?? null];
}
echo json_encode($answer);
