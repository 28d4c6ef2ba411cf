<?php
// A SOAP server that wants a log-in before its tickets: by a header, or by a cookie with MODE=cookie. `WSDL=file STATE=folder php -S 127.0.0.1:8081 session.php`
// The folder has the file `session` while there is one. Each log-in, and each ticket, is a line of the file `calls`.
$state = getenv('STATE');
$note = fn ($line) => file_put_contents("$state/calls", "$line\n", FILE_APPEND | LOCK_EX);
$server = new SoapServer(getenv('WSDL'), ['cache_wsdl' => WSDL_CACHE_NONE]);
$server->setObject(new class ($state, $note) {
    private $sent = null;

    public function __construct(private $state, private $note)
    {
    }

    public function Session($header)
    {
        $this->sent = $header->sessionId;
    }

    public function LogIn($parameters)
    {
        global $server;
        ($this->note)("logIn $parameters->user");
        if (file_exists("$this->state/locked")) {
            throw new SoapFault('Client', 'Account locked');
        }
        usleep(200_000);
        $id = 's<' . bin2hex(random_bytes(8));
        file_put_contents("$this->state/session", $id);
        if (getenv('MODE') === 'cookie') {
            header('Set-Cookie: JSESSIONID=' . bin2hex($id) . '; Path=/; HttpOnly; Expires=Fri, 01 Jan 2100 00:00:00 GMT');
            header('Set-Cookie: region=eu', false);
        } else {
            $server->addSoapHeader(new SoapHeader('urn:example:desk', 'Session', ['sessionId' => $id]));
        }
        return ['since' => 'today'];
    }

    private function requireSession($id)
    {
        $known = @file_get_contents("$this->state/session");
        $sent = getenv('MODE') === 'cookie' ? hex2bin($_COOKIE['JSESSIONID'] ?? '') : $this->sent;
        $isRight = $known !== false && $known !== '' && $sent === $known && (getenv('MODE') !== 'cookie' || $_COOKIE['region'] === 'eu');
        ($this->note)(($isRight ? 'ticket ' : 'refused ') . $id);
        if (!$isRight) {
            throw new SoapFault(['urn:example:desk', 'INVALID_SESSION_ID'], 'Session is over');
        }
    }

    public function GetTicket($parameters)
    {
        $this->requireSession($parameters->id);
        return ['title' => "Ticket $parameters->id"];
    }

    public function LogOut($parameters)
    {
        $this->requireSession('logOut');
        unlink("$this->state/session");
        ($this->note)("logOut $parameters->reason");
        return ['ended' => true];
    }

    public function CloseTicket($parameters)
    {
        $this->requireSession($parameters->id);
        return ['closed' => true];
    }
});
$server->handle();
