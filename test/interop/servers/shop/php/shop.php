<?php
// The shop on the server that is built into PHP: `DOCUMENT=file ITEMS=file php -S 127.0.0.1:8081 shop.php`.
function answer(mixed $value, int $status = 200, string $type = 'application/json'): never
{
    http_response_code($status);
    header("Content-Type: $type");
    echo json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    exit;
}

function refuse(int $status, string $title, array $more): never
{
    answer(['type' => "/problems/$status", 'title' => $title, 'status' => $status] + $more, $status, 'application/problem+json');
}

$saved = fn() => is_file(getenv('ITEMS')) ? json_decode(file_get_contents(getenv('ITEMS'))) : [];
$method = $_SERVER['REQUEST_METHOD'];
[$path, $query] = explode('?', $_SERVER['REQUEST_URI'], 2) + [1 => ''];
[, $collection, $id, $part] = explode('/', $path) + ['', '', '', ''];
$id = (int) $id;

switch ("$method $collection" . ($id === 0 ? '' : '/id') . ($part === '' ? '' : "/$part")) {
    case 'GET openapi.yaml':
        header('Content-Type: application/yaml');
        readfile(getenv('DOCUMENT'));
        break;
    case 'GET items':
        $found = array_values(array_filter($saved(), fn($each) => $each->name === $_GET['name']));
        header('X-Total: ' . count($found));
        answer($found);
    case 'POST items':
        $item = json_decode(file_get_contents('php://input'));
        if ($item->price < 0) {
            refuse(422, 'Refused', ['detail' => 'A price is not below 0']);
        }
        $items = [...$saved(), $item];
        file_put_contents(getenv('ITEMS'), json_encode($items));
        answer(['serial' => count(array_filter($items, fn($each) => $each->name === $item->name)), 'item' => $item], 201);
    case 'GET items/id':
        if ($id === 404) {
            refuse(404, 'Not Found', ['detail' => 'No such item', 'itemId' => $id]);
        }
        if ($id === 500) {
            http_response_code(500);
            header('Content-Type: text/plain');
            echo 'Out of order';
            break;
        }
        // $_GET has the last one of equal names.
        preg_match_all('/(?:^|&)field=([^&]*)/', $query, $fields);
        answer([
            'id' => $id,
            'name' => 'Zoë <&> "Ω"',
            'price' => 2.5,
            'added' => '2026-01-02T03:04:05Z',
            'level' => $_SERVER['HTTP_X_LEVEL'] ?? null,
            'basket' => $_COOKIE['basket'] ?? null,
            'field' => array_map('urldecode', $fields[1]),
        ]);
    case 'DELETE items/id':
        http_response_code(204);
        break;
    case 'GET items/id/photo':
        header('Content-Type: image/png');
        echo "\x89P\x00\xff";
        break;
    case 'POST items/id/photo':
        $bytes = file_get_contents($_FILES['photo']['tmp_name']);
        answer(['caption' => $_POST['caption'], 'bytes' => strlen($bytes), 'base64' => base64_encode($bytes)]);
    case 'POST search':
        answer(array_map(fn($at) => "{$_POST['word']} $at", range(1, (int) ($_POST['limit'] ?? 1))));
    default:
        http_response_code(404);
}
