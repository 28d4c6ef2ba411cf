<?php
// A SOAP server whose messages, headers and faults are of types that extend others. `WSDL=file php -S 127.0.0.1:8081 parcels.php`
// It answers with the parcel, and with the log-in as session. A parcel to `heavy` is refused by a fault of a type that extends the declared one.
class Parcel { public $To; }
class Express extends Parcel { public $By; }
class Login { public $User; }
class TokenLogin extends Login { public $Token; }

const URI = 'urn:parcels';
$server = new SoapServer(getenv('WSDL'), [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'classmap' => ['Parcel' => 'Parcel', 'Express' => 'Express', 'Login' => 'Login', 'TokenLogin' => 'TokenLogin'],
]);
$server->setObject(new class ($server) {
    private $login;

    public function __construct(private $server)
    {
    }

    public function Login($login)
    {
        $this->login = $login;
    }

    public function Ship($parcel)
    {
        if ($parcel->To === 'heavy') {
            $data = new SoapVar(['Code' => 3, 'Limit' => 20, 'unit' => 'kg'], SOAP_ENC_OBJECT, 'TooHeavy', URI);
            throw new SoapFault('Client', 'Too heavy', null, $data, 'Refused');
        }
        if ($this->login !== null) {
            $named = new SoapVar($this->login, SOAP_ENC_OBJECT, get_class($this->login), URI);
            $this->server->addSoapHeader(new SoapHeader(URI, 'Session', ['Login' => $named]));
        }
        return new SoapVar($parcel, SOAP_ENC_OBJECT, get_class($parcel), URI);
    }
});
$server->handle();
