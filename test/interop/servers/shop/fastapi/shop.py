"""The shop in FastAPI, which writes its document itself. `PORT=8081 python3 shop.py`"""

import base64
import os
from typing import List, Optional

import uvicorn
from fastapi import Cookie, FastAPI, File, Form, Header, Query, Response, UploadFile
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field

app = FastAPI(title="Shop", version="1")
items = []


class Item(BaseModel):
    name: str = Field(min_length=1)
    price: float = Field(ge=0)
    tag: Optional[List[str]]
    part: Optional[List["Item"]]


Item.update_forward_refs()


class Created(BaseModel):
    serial: int
    item: Item


class SeenItem(BaseModel):
    id: int
    name: str
    price: float
    added: str
    level: Optional[str]
    basket: Optional[str]
    field: List[str]


class Photo(BaseModel):
    caption: str
    bytes: int
    base64: str


class Problem(BaseModel):
    type: str
    title: str
    status: int
    detail: Optional[str]
    itemId: Optional[int]


@app.get("/items", operation_id="listItems", response_model=List[Item], response_model_exclude_none=True,
         responses={200: {"headers": {"X-Total": {"schema": {"type": "integer"}}}}})
def list_items(name: str, response: Response):
    found = [each for each in items if each.name == name]
    response.headers["X-Total"] = str(len(found))
    return found


@app.post("/items", operation_id="createItem", status_code=201, response_model=Created, response_model_exclude_none=True)
def create_item(item: Item):
    items.append(item)
    return {"serial": len([each for each in items if each.name == item.name]), "item": item}


@app.get("/items/{itemId}", operation_id="getItem", response_model=SeenItem, responses={404: {"model": Problem}})
def get_item(itemId: int, x_level: Optional[str] = Header(None), basket: Optional[str] = Cookie(None),
             field: List[str] = Query([])):
    if itemId == 404:
        problem = {"type": "/problems/404", "title": "Not Found", "status": 404, "detail": "No such item", "itemId": 404}
        return JSONResponse(problem, 404, media_type="application/problem+json")
    if itemId == 500:
        return PlainTextResponse("Out of order", 500)
    return {"id": itemId, "name": 'Zoë <&> "Ω"', "price": 2.5, "added": "2026-01-02T03:04:05Z", "level": x_level,
            "basket": basket, "field": field}


@app.delete("/items/{itemId}", operation_id="deleteItem", status_code=204)
def delete_item(itemId: int):
    return Response(status_code=204)


@app.get("/items/{itemId}/photo", operation_id="getPhoto", response_class=Response,
         responses={200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}})
def get_photo(itemId: int):
    return Response(b"\x89P\x00\xff", media_type="image/png")


@app.post("/items/{itemId}/photo", operation_id="addPhoto", response_model=Photo)
def add_photo(itemId: int, caption: str = Form(), photo: UploadFile = File()):
    content = photo.file.read()
    return {"caption": caption, "bytes": len(content), "base64": base64.b64encode(content).decode()}


@app.post("/search", operation_id="search", response_model=List[str])
def search(word: str = Form(), limit: int = Form(1)):
    return [f"{word} {at + 1}" for at in range(limit)]


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="error")
