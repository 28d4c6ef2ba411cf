"""Tests a client in Python against `triglyph mock --wsdl orders.wsdl`, with the standard library alone: `python3 -m unittest`."""

import json
import os
import unittest
from urllib.error import HTTPError
from urllib.request import Request, urlopen

CALLERS = os.environ.get("TRIGLYPH_CALLERS", "http://127.0.0.1:8080")
ADMIN = os.environ.get("TRIGLYPH_ADMIN", "http://127.0.0.1:9090")


def send(url, body=None, method=None, headers=None):
    """Returns the status and the JSON of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    try:
        with urlopen(request) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


def control(path, body=None, method="POST"):
    """Calls the test API."""
    status, answer = send(f"{ADMIN}/_test/{path}", body, method)
    if status != 200:
        raise ValueError(answer["error"])
    return answer


def create_order(customer, key):
    """The client: it repeats a request without an answer, with the same key."""
    order = {"Customer": customer, "Line": [{"Sku": "A-1", "Quantity": 2}]}
    for _ in range(3):
        try:
            _, answer = send(f"{CALLERS}/orders/v1/CreateOrder", {"order": order}, headers={"Idempotency-Key": key})
            return answer["CreateOrderResult"]
        except OSError:
            continue
    raise TimeoutError("no answer")


class OrdersTest(unittest.TestCase):
    def setUp(self):
        control("reset")

    def test_creates_an_order(self):
        number = create_order("Anna", "test-creates-an-order")
        status, answer = send(f"{CALLERS}/orders/v1/GetOrder", {"orderId": number})
        self.assertEqual((200, "Anna"), (status, answer["GetOrderResult"]["Customer"]))

    def test_a_lost_answer_creates_one_order(self):
        control("faults", {"operation": "CreateOrder", "drop": "after"})
        number = create_order("Anna", "test-a-lost-answer")
        orders = send(f"{CALLERS}/orders/v1/ListOrders", {"Customer": "Anna"})[1]["Order"]
        self.assertEqual([number], [order["OrderId"] for order in orders])
        calls = control("calls", method="GET")["calls"]
        self.assertEqual([False, True, False], [call["replayed"] for call in calls])

    def test_a_declared_fault(self):
        control("faults", {"operation": "GetOrder", "answer": "orderNotFound"})
        status, answer = send(f"{CALLERS}/orders/v1/GetOrder", {"orderId": 1})
        self.assertEqual((422, {"OrderId": 1, "Reason": "text"}), (status, answer["fault"]["OrderNotFound"]))

    def test_a_fault_with_a_wrong_name_is_refused(self):
        with self.assertRaisesRegex(ValueError, "operation"):
            control("faults", {"operation": "GetOrdr"})


if __name__ == "__main__":
    unittest.main()
