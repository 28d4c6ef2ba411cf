<?php
// Calls one operation by a WSDL: document, format, operation, input in JSON, Idempotency-Key or nothing. Prints JSON.
// Bytes are {"base64": "..."} in the input, and base64 in the output.
[, $document, $format, $operation, $input, $key] = $argv;

$bytes = function ($value) use (&$bytes) {
    if ($value instanceof stdClass && array_keys((array) $value) === ['base64']) {
        return base64_decode($value->base64);
    }
    if ($value instanceof stdClass) {
        return (object) array_map($bytes, (array) $value);
    }
    return is_array($value) ? array_map($bytes, $value) : $value;
};
$text = function ($value) use (&$text) {
    if (is_object($value) || is_array($value)) {
        return array_map($text, (array) $value);
    }
    return is_string($value) && preg_match('//u', $value) !== 1 ? base64_encode($value) : $value;
};

$client = new SoapClient($document, [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'soap_version' => $format === 'SOAP 1.2' ? SOAP_1_2 : SOAP_1_1,
    'stream_context' => stream_context_create(['http' => ['header' => $key === '' ? '' : "Idempotency-Key: $key"]]),
]);
try {
    $answer = (array) $client->__soapCall($operation, [$bytes(json_decode($input))]);
} catch (SoapFault $fault) {
    $answer = ['message' => $fault->faultstring, 'fault' => (array) ($fault->detail ?? [])];
}
echo json_encode($text($answer));
