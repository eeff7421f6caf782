"""Uses the generated Python client against a running server of `schemas/zoo.yaml`."""

import os

from pages import pages
from zoo_client import Client
from zoo_client.api.animal_types import create_animal_type
from zoo_client.api.animals import create_animal, delete_animal, get_animal
from zoo_client.api.zoos import create_zoo, delete_zoo, get_zoo, list_zoos, update_zoo
from zoo_client.models import (
    AlreadyExistsProblem,
    CreatedZooList,
    InvalidContentProblem,
    NewAnimal,
    NewAnimalType,
    NewZoo,
    NotFoundProblem,
    PreconditionFailedProblem,
    StillReferencedProblem,
    Zoo,
    ZooPatch,
)

client = Client(base_url=os.environ["NOUNS_URL"])

# Create.
created = create_zoo.sync_detailed(client=client, body=NewZoo(name="City Zoo", city="Berlin"))
assert created.status_code == 201
zoo = created.parsed
assert isinstance(zoo, Zoo)
assert created.headers["location"] == f"/zoos/{zoo.id}"
more = [NewZoo(name=f"Zoo {at}", city="Bonn" if at % 2 else "Rome") for at in range(9)]
batch = create_zoo.sync(client=client, body=more)
assert isinstance(batch, CreatedZooList) and len(batch.items) == 9

# List with a filter and an order.
found = list_zoos.sync(
    client=client, city=["Bonn", "Rome"], namegte="Zoo 3", sortby="-name", limit=3, count=True
)
assert [one.name for one in found.items] == ["Zoo 8", "Zoo 7", "Zoo 6"]
assert found.total == 6
assert len(list_zoos.sync(client=client, namein="City Zoo,Zoo 1").items) == 2

# Page through.
names = [one.name for one in pages(list_zoos.sync, client=client, limit=4, sortby="name")]
assert names == ["City Zoo", *(one.name for one in more)]

# A conflict, with its kind and its errors as types.
panda = create_animal_type.sync(client=client, body=NewAnimalType(name="Red panda"))
again = create_animal_type.sync(client=client, body=NewAnimalType(name="Red panda"))
assert isinstance(again, AlreadyExistsProblem) and again.status == 409
assert (again.errors[0].code, again.errors[0].pointer) == ("unique", "/name")

# Values that break the schema.
invalid = create_zoo.sync(client=client, body=NewZoo(name="", city="Bonn" * 500))
assert isinstance(invalid, (InvalidContentProblem, Zoo))

# A conditional update: the second one has an old ETag.
read = get_zoo.sync_detailed(zoo.id, client=client)
tag = read.headers["etag"]
changed = update_zoo.sync(zoo.id, client=client, if_match=tag, body=ZooPatch(name="Old Zoo"))
assert isinstance(changed, Zoo) and changed.name == "Old Zoo"
late = update_zoo.sync(zoo.id, client=client, if_match=tag, body=ZooPatch(name="New Zoo"))
assert isinstance(late, PreconditionFailedProblem)

# A nested collection, and deletion.
bella = create_animal.sync(
    zoo.id, client=client, body=NewAnimal(name="Bella", animal_type_id=panda.id)
)
assert isinstance(delete_zoo.sync(zoo.id, client=client), StillReferencedProblem)
assert delete_animal.sync_detailed(zoo.id, bella.id, client=client).status_code == 204
assert isinstance(get_animal.sync(zoo.id, bella.id, client=client), NotFoundProblem)
print("the Python client works")
