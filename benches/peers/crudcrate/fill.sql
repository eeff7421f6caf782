-- Creates the database of the peer, with the rows of the database `nouns`.
PRAGMA journal_mode = WAL;
CREATE TABLE zoos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  city TEXT,
  opened TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX zoos_city ON zoos (city);
CREATE TABLE animal_types (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE animals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  zoo_id INTEGER NOT NULL REFERENCES zoos (id),
  name TEXT NOT NULL,
  animal_type_id INTEGER NOT NULL REFERENCES animal_types (id),
  weight_kg REAL,
  born TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX animals_zoo_name ON animals (zoo_id, name);
CREATE INDEX animals_name ON animals (name);
CREATE INDEX animals_zoo_type_name ON animals (zoo_id, animal_type_id, name);
CREATE INDEX animals_type ON animals (animal_type_id);
INSERT INTO zoos SELECT id, name, city, opened, created_at, updated_at FROM nouns.zoos;
INSERT INTO animal_types SELECT id, name FROM nouns.animal_types;
INSERT INTO animals
  SELECT id, zoo_id, name, animal_type_id, weight_kg, born, created_at, updated_at
  FROM nouns.animals;
