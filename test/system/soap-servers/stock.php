<?php
// PHP's SoapServer, for `php -S`: the folder has stock.wsdl, whose types are in stock.xsd. Each call is a line of calls.txt.
$folder = getenv('FOLDER');
if (str_ends_with($_SERVER['SCRIPT_NAME'], '.xsd')) {
    header('Content-Type: text/xml');
    readfile("$folder/stock.xsd");
    return;
}

class Stock
{
    public function GetStock($asked)
    {
        return ['Quantity' => 5, 'Price' => '19.90', 'Seen' => '2026-01-02T03:04:05Z', 'Place' => [$asked->Sku, 'B']];
    }

    public function AddStock($asked)
    {
        return ['Quantity' => 5 + $asked->Quantity];
    }
}

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $call = ['action' => $_SERVER['HTTP_SOAPACTION'] ?? null, 'key' => $_SERVER['HTTP_X_API_KEY'] ?? null];
    file_put_contents("$folder/calls.txt", json_encode($call) . "\n", FILE_APPEND);
}
$server = new SoapServer("$folder/stock.wsdl", ['cache_wsdl' => WSDL_CACHE_NONE]);
$server->setClass('Stock');
$server->handle();
