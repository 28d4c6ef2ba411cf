<?php
/** A caller by PHP's SoapClient, which knows base64 alone: `vault-client.php URL BYTES`. */
[, $url, $bytes] = $argv;
$sent = '';
for ($at = 0; $at < (int) $bytes; $at++) $sent .= chr(($at * 7 + intdiv($at, 256)) % 256);
$client = new SoapClient("$url?wsdl", ['cache_wsdl' => WSDL_CACHE_NONE, 'location' => $url]);
$answer = $client->Store(['Name' => 'from PHP', 'Data' => $sent]);
printf("size=%d attached=%d returned=text same=%d\n", $answer->Size, $answer->WasAttached, $answer->Data === $sent);
