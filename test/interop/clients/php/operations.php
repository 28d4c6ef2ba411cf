<?php
// Calls each operation of $INPUTS with the example of its request, by the WSDL. Prints "ok", or the error.
function bytes(mixed $value): mixed
{
    if ($value instanceof stdClass && array_keys((array) $value) === ['base64']) {
        return base64_decode($value->base64);
    }
    if ($value instanceof stdClass) {
        return (object) array_map('bytes', (array) $value);
    }
    return is_array($value) ? array_map('bytes', $value) : $value;
}

$reset = stream_context_create(['http' => ['method' => 'POST']]);
$client = new SoapClient(getenv('WSDL'), ['cache_wsdl' => WSDL_CACHE_NONE]);
foreach (json_decode(file_get_contents(getenv('INPUTS'))) as $each) {
    file_get_contents(getenv('MOCK') . '/_test/reset', false, $reset);
    try {
        $client->__soapCall($each->operation, [bytes($each->input)]);
        echo "$each->operation ok\n";
    } catch (SoapFault $fault) {
        echo "$each->operation ", str_replace("\n", ' ', $fault->getMessage()), "\n";
    }
}
