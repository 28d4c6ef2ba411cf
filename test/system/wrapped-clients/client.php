<?php
// PHP's SoapClient from the WSDL of a wrapped service: parameters and results are the fields themselves.
[, $wsdl, $secret, $version] = $argv;
$client = new SoapClient($wsdl, [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'stream_context' => stream_context_create(['http' => ['header' => "X-API-Key: $secret"]]),
]);
$total = ['currency' => 'EUR', 'value' => '12345678.90'];
$sent = $client->sendInvoice([
    'invoice' => ['number' => 'I-1', 'version' => 2, 'issued' => '2026-02-28', 'total' => $total],
    'scan' => "\x00\x01\xff",
    'lines' => ['Line' => [['sku' => 'a "b"', 'discount' => '0.15']]],
]);
[$line] = is_array($sent->lines->Line) ? $sent->lines->Line : [$sent->lines->Line];
echo json_encode([
    'number' => $sent->invoice->number,
    'issued' => $sent->invoice->issued,
    'currency' => $sent->invoice->total->currency,
    'value' => (string) $sent->invoice->total->value,
    'scan' => bin2hex($sent->scan),
    'sku' => $line->sku,
]);
