"""Calls a mock of orders.wsdl with zeep. Arguments: the address of its WSDL, the version of SOAP. Prints what orders.php prints."""

import json
import sys

from zeep import Client
from zeep.exceptions import Fault

_, wsdl, version = sys.argv
client = Client(wsdl)
soap12 = {name for name, binding in client.wsdl.bindings.items() if type(binding).__name__ == "Soap12Binding"}
names = [
    (service.name, port.name)
    for service in client.wsdl.services.values()
    for port in service.ports.values()
    if (str(port.binding.name) in soap12) == (version == "2")
]
service = client.bind(*names[0])
lines = [{"Sku": "A-1", "Quantity": 2}, {"Sku": "A-2", "Quantity": 1}]
number = service.CreateOrder(order={"Customer": "Zoë", "Line": lines})
order = service.GetOrder(orderId=number)
print("read", order.Customer, order.Status, len(order.Line), "no note" if order.Note is None else "note")
order.Status = "SHIPPED"
order.Note = "left at the door"
print("updated", service.UpdateOrder(order=order).Status)
listed = service.ListOrders(Customer="Zoë")
print("listed", listed[0].Note if len(listed) == 1 else "several")
print("deleted", json.dumps(service.DeleteOrder(orderId=number)))
try:
    service.GetOrder(orderId=number)
except Fault as fault:
    detail = fault.detail[0]
    found = detail.findtext("{urn:example:order-service}OrderId")
    print("gone", "with its number" if found == str(number) else "without")
print("example", service.Quote(Sku="A-1"))
