<?php

/** Runs the test class of a file with the assertions of PHPUnit that the examples use, where PHPUnit is not installed. */

namespace PHPUnit\Framework {
    abstract class TestCase
    {
        public ?string $expectedClass = null;
        public string $expectedMessage = '';

        public function assertSame(mixed $expected, mixed $actual): void
        {
            if ($expected !== $actual) {
                throw new \LogicException('expected ' . json_encode($expected) . ', got ' . json_encode($actual));
            }
        }

        public function assertCount(int $expected, array $actual): void
        {
            $this->assertSame($expected, count($actual));
        }

        public function expectException(string $class): void
        {
            $this->expectedClass = $class;
        }

        public function expectExceptionMessage(string $part): void
        {
            $this->expectedMessage = $part;
        }

        public function run(string $method): void
        {
            try {
                $this->setUp();
                $this->$method();
            } catch (\Throwable $thrown) {
                $isExpected = $this->expectedClass !== null && $thrown instanceof $this->expectedClass;
                if ($isExpected && str_contains($thrown->getMessage(), $this->expectedMessage)) {
                    return;
                }
                throw $thrown;
            }
            if ($this->expectedClass !== null) {
                throw new \LogicException("expected {$this->expectedClass}");
            }
        }

        protected function setUp(): void
        {
        }
    }
}

namespace {
    require $argv[1];
    $class = pathinfo($argv[1], PATHINFO_FILENAME);
    $failed = 0;
    foreach (get_class_methods($class) as $method) {
        if (!str_starts_with($method, 'test')) {
            continue;
        }
        try {
            (new $class())->run($method);
            echo "passed $method\n";
        } catch (\Throwable $thrown) {
            $failed++;
            echo "failed $method: {$thrown->getMessage()}\n";
        }
    }
    exit($failed === 0 ? 0 : 1);
}
