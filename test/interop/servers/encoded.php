<?php
/** An rpc/encoded SOAP server that answers with what it reads: arrays, objects, nil items and a Map. `WSDL=file [WRONG=1] php -S 127.0.0.1:8081 encoded.php` */
class Encoded {
    /** PHP passes the parts one after the other, and writes a list of answers part by part. */
    public function Echo($names, $lines, $notes) {
        if (getenv('WRONG')) $notes['added'] = 'by the server';
        return ['names' => $names, 'lines' => $lines, 'notes' => $notes];
    }
}

$server = new SoapServer(getenv('WSDL'), ['cache_wsdl' => WSDL_CACHE_NONE]);
$server->setClass('Encoded');
if ($_SERVER['REQUEST_METHOD'] === 'GET') { header('Content-Type: text/xml'); readfile(getenv('WSDL')); exit; }
$server->handle();
