/** knb-lter-jrn.990000001: a long identifier, every kind of entity, one table that only its owner may read. */
import { Random } from "../../simulator/random.ts";
import type { EntityDescription, SeriesDescription } from "../model.ts";
import {
  CC0,
  COMMA_LAYOUT,
  counted,
  dated,
  labelled,
  measured,
  owner,
  SYNTHETIC,
  textFile,
} from "./pieces.ts";

const PLOTS = ["C1", "C2", "G1", "G2", "T1", "T2"];
const COVER_SPECIES = ["BOER", "PRGL", "LATR", "SPFL"];
const SEASONS = ["2015-04-20", "2015-09-28", "2016-04-18", "2016-10-03"];

function coverRows(): string[] {
  const random = new Random("cover");
  return SEASONS.flatMap((date) =>
    PLOTS.flatMap((plot) =>
      COVER_SPECIES.map((code) => `${date},${plot},${code},${(random.uniform() * 30).toFixed(1)}`),
    ),
  );
}

function captureRows(): string[] {
  const random = new Random("captures");
  return Array.from({ length: 80 }, (_, index) => {
    const [east, north] = [332_000 + random.uniform() * 500, 3_602_000 + random.uniform() * 500];
    return `${index + 1},${SEASONS[index % 4]},DIPO,${east.toFixed(1)},${north.toFixed(1)}`;
  });
}

function elevationGrid(): string[] {
  const random = new Random("elevation");
  const row = () =>
    Array.from({ length: 60 }, () => (1315 + random.uniform() * 8).toFixed(1)).join(" ");
  return [
    "ncols 60",
    "nrows 40",
    "xllcorner 332000",
    "yllcorner 3602000",
    "cellsize 30",
    "NODATA_value -9999",
    ...Array.from({ length: 40 }, row),
  ];
}

const plotOutlines = JSON.stringify({
  type: "FeatureCollection",
  features: PLOTS.map((plot, index) => {
    const [west, south] = [-106.85 + index * 0.01, 32.55];
    const ring = [
      [west, south],
      [west + 0.002, south],
      [west + 0.002, south + 0.002],
      [west, south + 0.002],
      [west, south],
    ];
    return {
      type: "Feature",
      properties: { plot, synthetic: true },
      geometry: { type: "Polygon", coordinates: [ring] },
    };
  }),
});

const ENTITIES: readonly EntityDescription[] = [
  {
    kind: "dataTable",
    name: "Vegetation cover by plot and season",
    description: "Synthetic cover estimates, open to everybody.",
    fileName: "jrn_demo_cover.csv",
    mediaType: "text/csv",
    encoding: "UTF-8",
    layout: COMMA_LAYOUT,
    attributesId: "attrs-cover",
    attributes: [
      { ...dated("date", "Day of the estimate", "YYYY-MM-DD"), id: "attr-jrn-date" },
      { ...labelled("plot", "Plot code"), id: "attr-jrn-plot" },
      labelled("species", "Species code", {
        BOER: "Bouteloua eriopoda",
        PRGL: "Prosopis glandulosa",
        LATR: "Larrea tridentata",
        SPFL: "Sporobolus flexuosus",
      }),
      measured("cover", "Share of the plot under the canopy", "percent", { max: "100", min: "0" }),
    ],
    records: SEASONS.length * PLOTS.length * COVER_SPECIES.length,
    content: textFile(["date,plot,species,cover", ...coverRows()]),
  },
  {
    kind: "dataTable",
    name: "Rodent captures with exact locations",
    description: "Synthetic capture points; under embargo, so that only the owner may read them.",
    fileName: "jrn_demo_captures.csv",
    mediaType: "text/csv",
    encoding: "UTF-8",
    layout: COMMA_LAYOUT,
    restricted: true,
    attributes: [
      counted("capture", "Running number of the capture"),
      "attr-jrn-date",
      labelled("species", "Species code"),
      measured("easting", "UTM zone 13N easting", "meter"),
      measured("northing", "UTM zone 13N northing", "meter"),
    ],
    records: 80,
    content: textFile(["capture,date,species,easting,northing", ...captureRows()]),
  },
  {
    kind: "spatialVector",
    name: "Plot outlines",
    description: "Synthetic plot corners.",
    fileName: "jrn_demo_plots.geojson",
    mediaType: "application/geo+json",
    format: { name: "GeoJSON", version: "RFC 7946" },
    attributes: ["attr-jrn-plot"],
    content: { bytes: Buffer.from(`${plotOutlines}\n`) },
  },
  {
    kind: "spatialRaster",
    name: "Elevation, 30 m grid",
    description: "Synthetic elevation.",
    fileName: "jrn_demo_elevation.asc",
    mediaType: "text/plain",
    format: { name: "ESRI ASCII grid" },
    attributes: [measured("elevation", "Height above sea level", "meter")],
    content: textFile(elevationGrid()),
  },
  {
    kind: "view",
    name: "Mean cover by season",
    description: "Synthetic: a view of the cover table.",
    fileName: "jrn_demo_mean_cover.csv",
    mediaType: "text/csv",
    layout: COMMA_LAYOUT,
    query: "SELECT date, AVG(cover) FROM cover GROUP BY date",
    attributes: ["attr-jrn-date", measured("mean_cover", "Mean cover", "percent")],
    content: textFile(["date,mean_cover", ...SEASONS.map((date, i) => `${date},${14 + i}`)]),
  },
  {
    kind: "storedProcedure",
    name: "Cover of one year",
    description: "Synthetic: the text of a procedure.",
    fileName: "jrn_demo_cover_of_year.sql",
    mediaType: "text/plain",
    format: { name: "SQL" },
    attributes: [measured("cover", "Cover", "percent")],
    content: textFile(["SELECT * FROM cover WHERE YEAR(date) = :year;"]),
  },
];

export const JRN_990000001: SeriesDescription = {
  scope: "knb-lter-jrn",
  identifier: 990_000_001,
  owner: owner("JRN"),
  revisions: [
    {
      revision: 5,
      uploaded: "2023-08-09T18:45:12.070",
      replicated: "2023-08-09T20:00:00.250",
      dataset: {
        shortName: "jrn-demo-plots",
        title: "Demonstration vegetation cover and rodent captures, Jornada Basin, 2015-2016",
        creators: [
          {
            id: "jrn-hale",
            givenNames: ["Corin"],
            surName: "Hale",
            organization: "Example Desert Station",
            email: "jornada@example.org",
          },
          { givenNames: ["Yusra"], surName: "Benali" },
        ],
        contacts: [{ references: "jrn-hale" }],
        pubDate: "2023-08-09",
        language: "en",
        abstract: [
          {
            title: "What",
            paras: ["Synthetic cover of four desert species on six plots, spring and autumn."],
          },
          { title: "How", paras: [SYNTHETIC] },
        ],
        keywords: [
          { words: ["vegetation cover", "rodents", "desert grassland"], type: "theme" },
          { words: ["Jornada Basin", "Chihuahuan Desert"], type: "place" },
        ],
        rights: ["Capture locations are under embargo; everything else is free."],
        license: CC0,
        coverage: {
          boxes: [
            {
              description: "Jornada Basin, Chihuahuan Desert, New Mexico, USA",
              west: "-106.8500",
              east: "-106.7980",
              north: "32.5520",
              south: "32.5500",
            },
          ],
          periods: [{ begin: "2015-04-20", end: "2016-10-03" }],
          taxa: [
            { rank: "Species", value: "Bouteloua eriopoda", common: "black grama" },
            { rank: "Species", value: "Prosopis glandulosa", common: "honey mesquite" },
            { rank: "Genus", value: "Dipodomys", common: "kangaroo rats" },
          ],
        },
        methods: {
          steps: [
            { description: ["Cover was estimated by one observer in 1 m quadrats."] },
            { description: ["Rodents were caught in live traps on three nights per season."] },
          ],
          quality: ["Estimates above 100 percent would have been refused."],
        },
        project: {
          title: "Demonstration of Long-Term Desert Research",
          personnel: [{ givenNames: ["Corin"], surName: "Hale", role: "Principal Investigator" }],
          funding: ["NSF DEB-0000001"],
        },
        entities: ENTITIES,
      },
    },
  ],
};
