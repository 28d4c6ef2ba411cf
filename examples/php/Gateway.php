<?php

/** The test API of `triglyph demo --test-api`. */
final class Gateway
{
    public function __construct(public readonly string $callers, private readonly string $admin)
    {
    }

    public static function fromEnvironment(): self
    {
        return new self(
            getenv('TRIGLYPH_CALLERS') ?: 'http://127.0.0.1:8080',
            getenv('TRIGLYPH_ADMIN') ?: 'http://127.0.0.1:9090',
        );
    }

    public function reset(): void
    {
        $this->send('POST', 'reset');
    }

    public function advance(int $days): void
    {
        $this->send('POST', 'clock', ['advance' => ['days' => $days]]);
    }

    /** @param array<string, mixed> $fault */
    public function nextFault(array $fault): void
    {
        $this->send('POST', 'faults', $fault);
    }

    /** @return list<array<string, mixed>> */
    public function calls(): array
    {
        return $this->send('GET', 'calls')['calls'];
    }

    private function send(string $method, string $path, ?array $body = null): array
    {
        $http = ['method' => $method, 'ignore_errors' => true];
        if ($body !== null) {
            $http['header'] = 'Content-Type: application/json';
            $http['content'] = json_encode($body);
        }
        $answer = file_get_contents("{$this->admin}/_test/$path", false, stream_context_create(['http' => $http]));
        $value = json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
        if (isset($value['error'])) {
            throw new RuntimeException($value['error']);
        }
        return $value;
    }
}
