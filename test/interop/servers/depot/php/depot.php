<?php
// The depot as PHP's SoapServer. `WSDL=file NOTES=file SOAP_VERSION=1.1 php -S 127.0.0.1:8081 depot.php`
// PHP forgets everything after each request, so the notes are in a file.
$server = new SoapServer(getenv('WSDL'), [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'classmap' => ['Truck' => 'Truck', 'Carrier' => 'Carrier'],
    'soap_version' => getenv('SOAP_VERSION') === '1.2' ? SOAP_1_2 : SOAP_1_1,
]);

class Carrier
{
    public $name;
}

class Truck extends Carrier
{
    public $plate;
}

$server->setObject(new class {
    private $session = null;

    public function Session($header)
    {
        $this->session = $header->sessionId;
    }

    public function LogIn($parameters)
    {
        global $server;
        $server->addSoapHeader(new SoapHeader('urn:example:depot', 'Session', ['sessionId' => "s-$parameters->user"]));
        return ['since' => 'today'];
    }

    public function GetParcel($parameters)
    {
        $id = $parameters->id;
        if ($id === 'none') {
            throw new SoapFault('Client', 'No such parcel', null, ['id' => $id, 'line' => [7, 9]], 'ParcelNotFound');
        }
        if ($id === 'broken') {
            throw new SoapFault('Server', 'Out of order');
        }
        $parcel = ['id' => $id, 'weight' => '2.50', 'pieces' => 3, 'sent' => '2026-01-02T03:04:05Z', 'tag' => ['a', 'b & c']];
        return ['parcel' => $this->session === null ? $parcel : $parcel + ['owner' => $this->session]];
    }

    public function Pack($parameters)
    {
        return ['box' => $parameters->box];
    }

    public function Send($parameters)
    {
        return ['carrier' => $parameters->carrier];
    }

    public function Notify($parameters)
    {
        file_put_contents(getenv('NOTES'), json_encode($parameters->text) . "\n", FILE_APPEND);
    }

    public function GetNotes()
    {
        $lines = file_exists(getenv('NOTES')) ? file(getenv('NOTES')) : [];
        return ['note' => array_map('json_decode', $lines)];
    }
});
$server->handle();
