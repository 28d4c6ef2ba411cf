<?php
// A SOAP server as PHP has it: SoapServer from a WSDL, no hand-written type. `WSDL=file php -S 127.0.0.1:8081 server.php`
$server = new SoapServer(getenv('WSDL'), [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'soap_version' => getenv('SOAP_VERSION') === '1.2' ? SOAP_1_2 : SOAP_1_1,
]);
$server->setObject(new class {
    public function listRecurringDetails($parameters)
    {
        $shopper = $parameters->request->shopperReference;
        if ($shopper === 'unknown') {
            return ['result' => new stdClass()];
        }
        $detail = [
            'additionalData' => ['entry' => [['key' => 'a.b', 'value' => 'ä & ö']]],
            'card' => ['expiryMonth' => '08', 'expiryYear' => '2031', 'holderName' => 'Zoë <&> Ω', 'number' => '0011'],
            'contractTypes' => ['string' => ['ONECLICK']],
            'creationDate' => '2020-03-01T11:53:11.000+01:00',
            'firstPspReference' => '8815252013129012',
            'recurringDetailReference' => '8313147988756818',
            'variant' => 'visa',
        ];
        return ['result' => [
            'creationDate' => '2020-03-01T11:53:11.000+01:00',
            'details' => ['RecurringDetail' => [$detail]],
            'shopperReference' => $shopper,
        ]];
    }

    public function storeToken($parameters)
    {
        $card = $parameters->request->card;
        return ['result' => [
            'pspReference' => '8815252013129012',
            'recurringDetailReference' => '0013147988756818',
            'result' => "Success $card->number $card->expiryMonth $card->holderName",
        ]];
    }

    public function disable($parameters)
    {
        throw new SoapFault('Server', 'validation 800 Contract not found');
    }
});
$server->handle();
