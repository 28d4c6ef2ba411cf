<?php
// A caller of the orders: PHP's SoapClient from their WSDL, no hand-written type.
[, $endpoint, $secret, $number] = $argv;
set_error_handler(function (int $level, string $message): never {
    throw new ErrorException($message, 0, $level);
});

$headers = ["X-API-Key: $secret", "Idempotency-Key: key-of-the-order-$number"];
$client = new SoapClient("$endpoint?wsdl", [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'stream_context' => stream_context_create(['http' => ['header' => implode("\r\n", $headers)]]),
]);
$key = ['shop' => 'amsterdam', 'number' => $number];
$order = $key + ['item' => 'Zoë <&> Ω', 'quantity' => 3];

function fault(callable $call): string
{
    try {
        $call();
        return 'none';
    } catch (SoapFault $fault) {
        return $fault->getMessage();
    }
}

$found = function () use ($client, $key) {
    $order = $client->getOrder($key);
    return "$order->item x " . json_encode($order->quantity);
};
echo 'placed=', $client->placeOrder($order)->status, "\n";
echo 'again=', $client->placeOrder($order)->status, "\n";
echo 'found=', $found(), "\n";
echo 'other body=', fault(fn() => $client->placeOrder(['quantity' => 4] + $order)), "\n";
echo 'missing=', fault(fn() => $client->getOrder(['number' => 'NONE'] + $key)), "\n";
echo 'foreign=', fault(fn() => $client->getOrder(['shop' => 'berlin'] + $key)), "\n";
