"""The depot as spyne has it, with the WSDL that spyne derives. `PORT=8081 /usr/bin/python3 depot.py`"""

import os
from datetime import datetime, timezone
from wsgiref.simple_server import WSGIRequestHandler, make_server

from spyne import Application, ComplexModel, DateTime, Decimal, Fault, Integer32, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

NAMESPACE = 'urn:example:depot'
notes = []


class Session(ComplexModel):
    __namespace__ = NAMESPACE
    sessionId = Unicode


class Parcel(ComplexModel):
    __namespace__ = NAMESPACE
    _type_info = [
        ('id', Unicode),
        ('weight', Decimal),
        ('pieces', Integer32),
        ('sent', DateTime),
        ('tag', Unicode(max_occurs='unbounded')),
        ('owner', Unicode),
    ]


class Box(ComplexModel):
    __namespace__ = NAMESPACE
    label = Unicode


Box.append_field('box', Box.customize(max_occurs='unbounded'))


class Carrier(ComplexModel):
    __namespace__ = NAMESPACE
    name = Unicode


class Truck(Carrier):
    __namespace__ = NAMESPACE
    plate = Unicode


class ParcelNotFound(Fault):
    __namespace__ = NAMESPACE

    def __init__(self, id):
        super().__init__('Client', 'No such parcel', detail={'ParcelNotFound': {'id': id, 'line': ['7', '9']}})


class Depot(ServiceBase):
    @rpc(Unicode, _returns=Unicode, _out_variable_name='since', _out_header=(Session,))
    def LogIn(ctx, user):
        ctx.out_header = Session(sessionId=f's-{user}')
        return 'today'

    @rpc(Unicode, _returns=Parcel, _out_variable_name='parcel', _in_header=(Session,), _throws=[ParcelNotFound])
    def GetParcel(ctx, id):
        if id == 'none':
            raise ParcelNotFound(id)
        if id == 'broken':
            raise Fault('Server', 'Out of order')
        return Parcel(
            id=id,
            weight='2.50',
            pieces=3,
            sent=datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc),
            tag=['a', 'b & c'],
            owner=ctx.in_header.sessionId if ctx.in_header is not None else None,
        )

    @rpc(Box, _returns=Box, _out_variable_name='box')
    def Pack(ctx, box):
        return box

    @rpc(Carrier, _returns=Carrier, _out_variable_name='carrier')
    def Send(ctx, carrier):
        return carrier

    @rpc(Unicode)
    def Notify(ctx, text):
        notes.append(text)

    @rpc(_returns=Unicode(max_occurs='unbounded'), _out_variable_name='note')
    def GetNotes(ctx):
        return notes


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


application = Application(
    [Depot],
    NAMESPACE,
    name='Depot',
    in_protocol=Soap11(validator='lxml', polymorphic=True),
    out_protocol=Soap11(polymorphic=True),
)
make_server('127.0.0.1', int(os.environ['PORT']), WsgiApplication(application), handler_class=Quiet).serve_forever()
