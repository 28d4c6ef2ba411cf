// The shop with the library of Go. `DOCUMENT=file PORT=8081 go run shop.go`
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
)

type Item struct {
	Name  string   `json:"name"`
	Price float64  `json:"price"`
	Tag   []string `json:"tag,omitempty"`
	Part  []Item   `json:"part,omitempty"`
}

var (
	lock  sync.Mutex
	items []Item
	paths = regexp.MustCompile(`^/items/(\d+)(/photo)?$`)
)

func send(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, status int, title string, more map[string]any) {
	more["type"], more["title"], more["status"] = fmt.Sprintf("/problems/%d", status), title, status
	text, _ := json.Marshal(more)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	w.Write(text)
}

func named(name string) []Item {
	found := []Item{}
	for _, each := range items {
		if each.Name == name {
			found = append(found, each)
		}
	}
	return found
}

func list(w http.ResponseWriter, r *http.Request) {
	lock.Lock()
	defer lock.Unlock()
	if r.Method == "GET" {
		found := named(r.URL.Query().Get("name"))
		w.Header().Set("X-Total", strconv.Itoa(len(found)))
		send(w, 200, found)
		return
	}
	var item Item
	if err := json.NewDecoder(r.Body).Decode(&item); err != nil {
		refuse(w, 400, "Bad Request", map[string]any{"detail": err.Error()})
	} else if item.Price < 0 {
		refuse(w, 422, "Refused", map[string]any{"detail": "A price is not below 0"})
	} else {
		items = append(items, item)
		send(w, 201, map[string]any{"serial": len(named(item.Name)), "item": item})
	}
}

func getItem(w http.ResponseWriter, r *http.Request, id int64) {
	if id == 404 {
		refuse(w, 404, "Not Found", map[string]any{"detail": "No such item", "itemId": id})
		return
	}
	if id == 500 {
		http.Error(w, "Out of order", 500)
		return
	}
	seen := map[string]any{"id": id, "name": `Zoë <&> "Ω"`, "price": 2.5, "added": "2026-01-02T03:04:05Z", "field": r.URL.Query()["field"]}
	if level := r.Header.Get("X-Level"); level != "" {
		seen["level"] = level
	}
	if basket, err := r.Cookie("basket"); err == nil {
		seen["basket"] = basket.Value
	}
	send(w, 200, seen)
}

func addPhoto(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("photo")
	if err != nil {
		refuse(w, 400, "Bad Request", map[string]any{"detail": err.Error()})
		return
	}
	content, _ := io.ReadAll(file)
	text := base64.StdEncoding.EncodeToString(content)
	send(w, 200, map[string]any{"caption": r.FormValue("caption"), "bytes": len(content), "base64": text})
}

func one(w http.ResponseWriter, r *http.Request) {
	found := paths.FindStringSubmatch(r.URL.Path)
	if found == nil {
		http.NotFound(w, r)
		return
	}
	id, _ := strconv.ParseInt(found[1], 10, 64)
	switch r.Method + found[2] {
	case "GET":
		getItem(w, r, id)
	case "DELETE":
		w.WriteHeader(204)
	case "GET/photo":
		w.Header().Set("Content-Type", "image/png")
		w.Write([]byte{0x89, 'P', 0, 0xff})
	case "POST/photo":
		addPhoto(w, r)
	}
}

func search(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	found := []string{}
	for at := 1; at <= limit; at++ {
		found = append(found, fmt.Sprintf("%s %d", r.FormValue("word"), at))
	}
	send(w, 200, found)
}

func main() {
	http.HandleFunc("/openapi.yaml", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, os.Getenv("DOCUMENT")) })
	http.HandleFunc("/items", list)
	http.HandleFunc("/items/", one)
	http.HandleFunc("/search", search)
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}
