<?php
// PHP's SoapClient with a UsernameToken and WS-Addressing, as its callers write them: `php client.php WSDL VERSION USERNAME PASSWORD ARTICLE`.
[, $wsdl, $version, $username, $password, $article] = $argv;
$wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
$client = new SoapClient($wsdl, [
    'cache_wsdl' => WSDL_CACHE_NONE,
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'trace' => true,
]);
$escape = fn ($text) => htmlspecialchars($text, ENT_XML1);
$token = new SoapVar(
    "<wsse:Security xmlns:wsse=\"$wsse\"><wsse:UsernameToken><wsse:Username>{$escape($username)}</wsse:Username>"
    . "<wsse:Password>{$escape($password)}</wsse:Password></wsse:UsernameToken></wsse:Security>",
    XSD_ANYXML,
);
$addressing = 'http://www.w3.org/2005/08/addressing';
$client->__setSoapHeaders([
    new SoapHeader($wsse, 'Security', $token, true),
    new SoapHeader($addressing, 'Action', 'urn:example:shop#stock', true),
    new SoapHeader($addressing, 'MessageID', 'urn:uuid:1', true),
]);
try {
    $answer = $client->stock(['article' => $article]);
    $relates = preg_match('~RelatesTo[^>]*>urn:uuid:1<~', $client->__getLastResponse());
    echo json_encode(['pieces' => $answer->pieces, 'relates' => $relates === 1]);
} catch (SoapFault $fault) {
    echo json_encode(['code' => preg_replace('~^.*:~', '', $fault->_name ?? $fault->faultcode), 'detail' => $fault->detail ?? null]);
}
