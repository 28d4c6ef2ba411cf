<?php

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/Gateway.php';

/** Tests a SoapClient against `triglyph demo --test-api`. */
final class SubscriptionsTest extends TestCase
{
    private Gateway $gateway;
    private SoapClient $client;

    protected function setUp(): void
    {
        $this->gateway = Gateway::fromEnvironment();
        $this->gateway->reset();
        $this->client = new SoapClient("{$this->gateway->callers}/pal/servlet/Recurring/v25?wsdl", [
            'login' => 'ws@Company.Demo',
            'password' => 'demo-password',
            'cache_wsdl' => WSDL_CACHE_NONE,
        ]);
    }

    public function testCancelsTheSubscriptionsOfAShopper(): void
    {
        $this->assertSame('[all-details-successfully-disabled]', $this->cancel()->response);
        $calls = $this->gateway->calls();
        $this->assertCount(1, $calls);
        $this->assertSame('disable', $calls[0]['operation']);
        $this->assertSame('soap11', $calls[0]['format']);
    }

    public function testTheDataComesBackForTheNextTest(): void
    {
        $this->assertSame('[all-details-successfully-disabled]', $this->cancel()->response);
        $this->gateway->reset();
        $this->assertSame('[all-details-successfully-disabled]', $this->cancel()->response);
    }

    public function testAFailureOfTheGatewayIsASoapFault(): void
    {
        $this->gateway->nextFault(['operation' => 'disable', 'answer' => 'internal']);
        $this->expectException(SoapFault::class);
        $this->cancel();
    }

    public function testAFaultWithAWrongNameIsRefused(): void
    {
        $this->expectException(RuntimeException::class);
        $this->expectExceptionMessage('operation');
        $this->gateway->nextFault(['operation' => 'dissable', 'answer' => 'internal']);
    }

    private function cancel(): object
    {
        $request = ['merchantAccount' => 'DemoMerchant', 'shopperReference' => 'shopper-1', 'contract' => 'RECURRING'];
        return $this->client->disable(['request' => $request])->result;
    }
}
