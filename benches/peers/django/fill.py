"""Creates the database of the peer, with the rows of a database of Nouns.

    ZOO_DATABASE=django.db python fill.py nouns.db
"""

import os
import sys

import django
from django.core.management import call_command
from django.db import connection

COLUMNS = {
    "animal_types": "id, name",
    "zoos": "id, name, city, opened",
    "animals": "id, zoo_id, name, animal_type_id, weight_kg, born",
}
# As Django writes them.
TIMES = "replace(rtrim(created_at, 'Z'), 'T', ' '), replace(rtrim(updated_at, 'Z'), 'T', ' ')"

os.environ["DJANGO_SETTINGS_MODULE"] = "zoo.settings"
django.setup()
call_command("migrate", run_syncdb=True, verbosity=0)
with connection.cursor() as cursor:
    cursor.execute("ATTACH %s AS nouns", [sys.argv[1]])
    for table, columns in COLUMNS.items():
        cursor.execute(
            f"INSERT INTO {table} ({columns}, created_at, updated_at)"
            f" SELECT {columns}, {TIMES} FROM nouns.{table}"
        )
