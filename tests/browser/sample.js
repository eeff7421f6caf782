// Plausible members for the shipped schemas.

import { create } from "./server.js";

const CITIES = ["Berlin", "Halle", "Leipzig", "Oslo", "Porto", "Turku", "Lyon", "Graz"];
const PARKS = [
  "Tierpark", "Bergzoo", "City Zoo", "Harbour Aquarium", "Forest Park", "Bird Garden",
  "Night Zoo", "River Park", "Island Reserve", "Old Menagerie", "Savanna Park", "Alpine Zoo",
];
const KINDS = ["Red panda", "Otter", "Lynx", "Flamingo", "Elephant", "Tapir"];
const NAMES = [
  "Bella", "Kimba", "Mogli", "Nala", "Oskar", "Pina", "Quinto", "Rosa", "Sami", "Tilda",
  "Uma", "Viktor", "Wanda", "Xaver", "Yuki", "Zora", "Anton", "Berta", "Caesar", "Dora",
  "Emil", "Frida", "Gustav", "Hedi", "Ida", "Jonte", "Kaja", "Lotta",
];

/** Fills a server of `schemas/zoo.yaml`. */
export async function fillZoos(url) {
  await create(`${url}/zoos`, PARKS.map((name, at) => ({
    name,
    ...(at % 5 === 4 ? {} : { city: CITIES[at % CITIES.length] }),
    ...(at % 4 === 3 ? {} : { opened: `${1844 + at * 13}-0${1 + (at % 9)}-1${at % 9}` }),
  })));
  await create(`${url}/animal_types`, KINDS.map((name) => ({ name })));
  await create(`${url}/zoos/1/animals`, NAMES.map((name, at) => ({
    name,
    animal_type_id: 1 + (at % KINDS.length),
    ...(at % 6 === 5 ? {} : { weight_kg: Math.round((at * 37.7) % 480) / 10 + 0.5 }),
    ...(at % 3 === 2 ? {} : { born: `20${10 + (at % 14)}-0${1 + (at % 9)}-2${at % 9}` }),
  })));
  await create(`${url}/admin`, { name: "ada" });
}

/** Fills a server of `schemas/league.yaml`. */
export async function fillLeague(url) {
  const base = `${url}/api/v2`;
  for (const [id, name] of [["de", "Germany"], ["pt", "Portugal"], ["no", "Norway"]]) {
    await fetch(`${base}/countries/${id}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
  }
  const teams = ["Rovers", "Wanderers", "Athletic", "Harbour", "United", "Rangers"];
  await create(`${base}/teams`, teams.map((name, at) => ({
    name,
    slug: name.toLowerCase(),
    country_id: ["de", "pt", "no"][at % 3],
    budget: `${(at + 1) * 1250}.50`,
    founded: `19${20 + at * 9}-05-01`,
    colors: { home: ["red", "white"], away: ["blue"] },
  })));
  const players = NAMES.map((name, at) => ({
    name: `${name} ${CITIES[at % CITIES.length]}er`,
    number: 1 + at,
    position: ["keeper", "defender", "midfielder", "forward"][at % 4],
    height_m: Number((1.6 + (at % 40) / 100).toFixed(2)),
    active: at % 7 !== 0,
    ...(at > 5 ? { mentor_id: 1 + (at % 4) } : {}),
  }));
  await create(`${base}/teams/1/players`, players);
  await create(`${base}/seasons`, [
    { year: 2024, status: "over" }, { year: 2025, status: "running" }, { year: 2026 },
  ]);
  await create(`${base}/seasons/2/matches`, [1, 2, 3, 4].map((at) => ({
    home_id: at, away_id: at + 1, day: `2025-09-1${at}`, code: `SUN-${at}`,
  })));
}
