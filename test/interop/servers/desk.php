<?php
// A SOAP server with declared faults, headers and a one-way operation. `WSDL=file php -S 127.0.0.1:8081 desk.php`
// What it has received is appended to the file RECEIVED, one request in each line.
file_put_contents(getenv('RECEIVED'), json_encode([
    'headers' => array_change_key_case(getallheaders()),
    'body' => base64_encode(file_get_contents('php://input')),
]) . "\n", FILE_APPEND);
$server = new SoapServer(getenv('WSDL'), [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'soap_version' => getenv('SOAP_VERSION') === '1.2' ? SOAP_1_2 : SOAP_1_1,
]);
$server->setObject(new class {
    private $session = null;

    public function Session($header)
    {
        $this->session = $header->sessionId;
    }

    public function LogIn($parameters)
    {
        global $server;
        $server->addSoapHeader(new SoapHeader('urn:example:desk', 'Session', ['sessionId' => "s-$parameters->user"]));
        return ['since' => 'today'];
    }

    public function GetTicket($parameters)
    {
        $id = $parameters->id;
        if ($id === 'none') {
            $detail = new SoapVar(['id' => $id, 'lines' => [7, 9]], SOAP_ENC_OBJECT, 'TicketProblem', 'urn:example:desk');
            throw new SoapFault('Client', 'No such ticket', null, $detail, 'TicketNotFound');
        }
        if ($id === 'late') {
            throw new SoapFault('Server', 'Closed', null, 'since <noon> & "later"', 'DeskClosed');
        }
        if ($id === 'broken') {
            throw new SoapFault('Server', 'Broken');
        }
        return ['title' => "Ticket $id" . ($this->session === null ? '' : " of $this->session")];
    }

    public function CloseTicket($parameters)
    {
        if ($parameters->id === 'locked') {
            throw new SoapFault('Client', 'In use <now>');
        }
        if ($parameters->id === 'none') {
            throw new SoapFault('Server', 'No such ticket', null, ['id' => 'none'], 'TicketNotFound');
        }
        return ['closed' => true];
    }

    public function Notify($parameters)
    {
    }

    public function Attach($parameters)
    {
        return ['size' => strlen($parameters->data), 'data' => $parameters->data];
    }
});
$server->handle();
