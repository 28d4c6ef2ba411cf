<?php

// Calls a mock of orders.wsdl. Argument: the address of its WSDL. Prints what the client sees, a line each.
$client = new SoapClient($argv[1], ['cache_wsdl' => WSDL_CACHE_NONE, 'soap_version' => (int) $argv[2]]);
$lines = [['Sku' => 'A-1', 'Quantity' => 2], ['Sku' => 'A-2', 'Quantity' => 1]];
$id = $client->CreateOrder(['order' => ['Customer' => 'Zoë', 'Line' => $lines]])->CreateOrderResult;
$order = $client->GetOrder(['orderId' => $id])->GetOrderResult;
echo "read $order->Customer $order->Status ", count($order->Line), ' ', isset($order->Note) ? 'note' : 'no note', "\n";
$order->Status = 'SHIPPED';
$order->Note = 'left at the door';
echo 'updated ', $client->UpdateOrder(['order' => $order])->UpdateOrderResult->Status, "\n";
$listed = $client->ListOrders(['Customer' => 'Zoë'])->Order;
echo 'listed ', is_array($listed) ? 'several' : $listed->Note, "\n";
echo 'deleted ', json_encode($client->DeleteOrder(['orderId' => $id])->DeleteOrderResult), "\n";
try {
    $client->GetOrder(['orderId' => $id]);
} catch (SoapFault $fault) {
    echo 'gone ', (int) $fault->detail->OrderNotFound->OrderId === $id ? 'with its number' : 'without', "\n";
}
echo 'example ', $client->Quote(['Sku' => 'A-1'])->Price, "\n";
