// Uses the generated TypeScript client against a running server of `schemas/zoo.yaml`.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/zoo.js";
import { pages } from "./pages.js";

type Zoo = components["schemas"]["Zoo"];

const zoos = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: process.env.NOUNS_URL });

// Create.
const created = await zoos.POST("/zoos", { body: { name: "City Zoo", city: "Berlin" } });
assert.equal(created.response.status, 201);
assert(created.data && "id" in created.data, "one member was created, not an array");
const zoo: Zoo = created.data;
assert.equal(created.response.headers.get("location"), `/zoos/${zoo.id}`);

const more = Array.from({ length: 9 }, (_, at) => ({ name: `Zoo ${at}`, city: at % 2 ? "Bonn" : "Rome" }));
const batch = await zoos.POST("/zoos", { body: more });
assert(batch.data && "items" in batch.data && batch.data.items.length === 9);

// List with a filter and an order.
const found = await zoos.GET("/zoos", {
  params: { query: { city: ["Bonn", "Rome"], "name[gte]": "Zoo 3", sortby: "-name", limit: 3, count: true } },
});
assert.deepEqual(found.data?.items.map((one) => one.name), ["Zoo 8", "Zoo 7", "Zoo 6"]);
assert.equal(found.data?.total, 6);
const listed = await zoos.GET("/zoos", { params: { query: { "name[in]": "City Zoo,Zoo 1" } } });
assert.equal(listed.data?.items.length, 2);

// Page through.
const names: string[] = [];
for await (const one of pages<Zoo>((after) => zoos.GET("/zoos", { params: { query: { limit: 4, sortby: "name", after } } }))) {
  names.push(one.name);
}
assert.deepEqual(names, ["City Zoo", ...more.map((one) => one.name)]);

// A conflict, with its kind and its errors as types.
const type = await zoos.POST("/animal_types", { body: { name: "Red panda" } });
assert.equal(type.response.status, 201);
const again = await zoos.POST("/animal_types", { body: { name: "Red panda" } });
assert(again.error && again.error.status === 409 && again.error.type === "/-/problems/already-exists");
assert.equal(again.error.errors?.[0]?.code, "unique");
assert.equal(again.error.errors?.[0]?.pointer, "/name");

// Values that break the schema.
const invalid = await zoos.POST("/zoos", { body: { name: "Zoo", city: "Bonn", opened: "tomorrow" } });
assert(invalid.error && invalid.error.type === "/-/problems/invalid-content");
assert.equal(invalid.error.errors?.[0]?.code, "type");

// A conditional update: the second one has an old ETag.
const path = { zoo_id: zoo.id };
const read = await zoos.GET("/zoos/{zoo_id}", { params: { path } });
const tag = read.response.headers.get("etag");
assert(tag);
const update = (name: string) =>
  zoos.PATCH("/zoos/{zoo_id}", { params: { path, header: { "If-Match": tag } }, body: { name } });
const changed = await update("Old Zoo");
assert.equal(changed.data?.name, "Old Zoo");
const late = await update("New Zoo");
assert(late.error && late.error.type === "/-/problems/precondition-failed");

// A nested collection, and deletion.
const animal = await zoos.POST("/zoos/{zoo_id}/animals", {
  params: { path },
  body: { name: "Bella", animal_type_id: (type.data as components["schemas"]["AnimalType"]).id },
});
assert.equal(animal.response.status, 201);
const kept = await zoos.DELETE("/zoos/{zoo_id}", { params: { path } });
assert(kept.error && kept.error.type === "/-/problems/still-referenced");
assert(animal.data && "id" in animal.data);
const gone = await zoos.DELETE("/zoos/{zoo_id}/animals/{animal_id}", {
  params: { path: { ...path, animal_id: animal.data.id } },
});
assert.equal(gone.response.status, 204);
const missing = await zoos.GET("/zoos/{zoo_id}/animals/{animal_id}", {
  params: { path: { ...path, animal_id: animal.data.id } },
});
assert(missing.error && missing.error.type === "/-/problems/not-found");
console.log("the TypeScript client works");
