/** knb-lter-hbr.9014: the package that the API notes write out; revision 3 was deleted, DataONE stops at revision 2. */
import type { Dataset, EntityDescription, SeriesDescription } from "../model.ts";
import { CC_BY, COMMA_LAYOUT, NOT_MEASURED, owner, SYNTHETIC, textFile } from "./pieces.ts";

const STREAMFLOW: EntityDescription = {
  kind: "dataTable",
  name: "Daily streamflow, watersheds 3 and 6",
  description: "One row per watershed and day.",
  fileName: "hbr_demo_streamflow_daily.csv",
  mediaType: "text/csv",
  encoding: "UTF-8",
  layout: COMMA_LAYOUT,
  attributesId: "attrs-flow",
  attributes: [
    {
      id: "attr-date",
      name: "DATE",
      label: "Calendar date",
      definition: "Local calendar date of the daily total",
      storage: "date",
      storageSystem: "http://www.w3.org/2001/XMLSchema-datatypes",
      scale: { kind: "dateTime", format: "YYYY-MM-DD", precision: "1" },
    },
    {
      name: "WS",
      definition: "Watershed code",
      storage: "string",
      scale: {
        kind: "nominal",
        enforced: "yes",
        codes: {
          WS3: "Watershed 3 (reference)",
          WS6: "Watershed 6 (biogeochemical reference)",
        },
      },
    },
    {
      name: "Streamflow",
      definition: "Daily streamflow depth",
      storage: "float",
      scale: {
        kind: "ratio",
        unit: "millimeterPerDay",
        custom: true,
        precision: "0.001",
        number: "real",
        min: "0",
        max: "200",
      },
      missing: NOT_MEASURED,
    },
    {
      name: "Flag",
      definition: "Quality flag; empty when the value is good",
      storage: "string",
      scale: { kind: "nominal", codes: { E: "Estimated", M: "Missing" } },
    },
  ],
  caseSensitive: "yes",
  records: 6,
  content: textFile([
    "DATE,WS,Streamflow,Flag",
    "2021-10-01,WS3,0.412,",
    "2021-10-02,WS3,0.398,",
    "2021-10-03,WS3,-9999,M",
    "2021-10-01,WS6,0.377,E",
    "2021-10-02,WS6,0.361,",
    "2021-10-03,WS6,0.355,",
  ]),
};

const PRECIPITATION: EntityDescription = {
  kind: "dataTable",
  name: "Daily precipitation by gauge",
  description: "One row per gauge and day.",
  fileName: "hbr_demo_precip_daily.csv",
  mediaType: "text/csv",
  encoding: "UTF-8",
  layout: COMMA_LAYOUT,
  coverage: { references: "cov-dataset" },
  attributes: [
    "attr-date",
    {
      name: "Gauge",
      definition: "Rain gauge name",
      storage: "string",
      scale: { kind: "nominal", text: "Rain gauge name" },
    },
    {
      name: "Precip",
      definition: "Daily precipitation depth",
      storage: "float",
      scale: { kind: "ratio", unit: "millimeter", precision: "0.1", number: "real" },
      missing: NOT_MEASURED,
    },
  ],
  records: 5,
  content: textFile([
    "DATE,Gauge,Precip",
    "2021-10-01,RG1,0.0",
    "2021-10-02,RG1,3.4",
    "2021-10-03,RG1,-9999",
    '2021-10-01,"RG2, upper",0.2',
    '2021-10-02,"RG2, upper",4.1',
  ]),
};

const FOREST = "Hubbard Brook Experimental Forest";
const GROUP = "Hubbard Brook Demonstration Group";

const STAGE_STEP = {
  description: [
    {
      title: "Stage",
      paras: ["Stage is read at V-notch weirs and converted with a rating curve."],
    },
  ],
  instruments: ["Demonstration float gauge, model 0"],
};

const LATEST: Dataset = {
  title:
    "Demonstration daily streamflow & precipitation, Hubbard Brook watersheds 3 and 6, 2019-2021",
  creators: [
    {
      id: "person-1",
      givenNames: ["Mara", "J."],
      surName: "Lindqvist",
      organization: "Example Forest Institute",
      email: "data@example.org",
      userId: {
        directory: "https://orcid.org",
        value: "https://orcid.org/0000-0002-1825-0097",
      },
    },
    { givenNames: ["Tobias"], surName: "Achterberg" },
    { organization: GROUP },
  ],
  associated: [{ givenNames: ["Ines"], surName: "Okafor", role: "field technician" }],
  contacts: [{ references: "person-1" }],
  pubDate: "2024-05-17",
  language: "English",
  abstract: ["Synthetic daily streamflow and precipitation for two gauged catchments.", SYNTHETIC],
  keywords: [
    {
      words: ["streamflow", "precipitation"],
      type: "theme",
      thesaurus: "LTER Controlled Vocabulary",
    },
    { words: [FOREST], type: "place" },
  ],
  rights: ["This demonstration package may be reused under the terms of the licence named below."],
  license: CC_BY,
  coverage: {
    id: "cov-dataset",
    boxes: [
      {
        description: `Watershed 3, ${FOREST}, New Hampshire, USA`,
        west: "-71.7260",
        east: "-71.7170",
        north: "43.9600",
        south: "43.9530",
        altitude: { min: "527", max: "732", unit: "meter" },
      },
      {
        description: `Watershed 6, ${FOREST}, New Hampshire, USA`,
        west: "-71.7430",
        east: "-71.7350",
        north: "43.9580",
        south: "43.9490",
      },
    ],
    periods: [{ begin: "2019-10-01", end: "2021-10-31" }],
    taxa: [
      {
        rank: "Genus",
        value: "Acer",
        children: [
          {
            rank: "Species",
            value: "Acer saccharum",
            common: "sugar maple",
            taxonId: { provider: "https://www.itis.gov", value: "28731" },
          },
        ],
      },
    ],
  },
  maintenance: { description: ["Appended once a year."], frequency: "annually" },
  methods: {
    steps: [
      STAGE_STEP,
      {
        description: ["Daily totals were derived from a source package."],
        source: {
          packageId: "knb-lter-hbr.9013.1",
          title: "Demonstration weir stage, 5-minute",
          organization: GROUP,
        },
      },
    ],
    extent: ["Two small catchments, daily, three water years."],
    sampling: ["Continuous stage; tipping-bucket rain gauges."],
  },
  project: {
    title: "LTER: Demonstration of a Catchment Record",
    personnel: [{ givenNames: ["Mara"], surName: "Lindqvist", role: "Principal Investigator" }],
    funding: ["NSF DEB-0000000"],
    awards: [
      {
        funder: "National Science Foundation",
        funderId: "https://doi.org/10.13039/100000001",
        number: "0000000",
        title: "LTER: Demonstration",
        url: "https://www.nsf.gov/awardsearch/showAward?AWD_ID=0000000",
      },
    ],
  },
  units: [
    {
      id: "millimeterPerDay",
      unitType: "velocity",
      parentSI: "metersPerSecond",
      multiplierToSI: "1.1574074e-8",
      description: "millimetre of water depth per day",
    },
  ],
  entities: [STREAMFLOW, PRECIPITATION],
};

/** Before the source package existed: the same tables, one method step. */
const EARLIER: Dataset = {
  ...LATEST,
  methods: {
    steps: [STAGE_STEP],
    extent: ["Two small catchments, daily, three water years."],
    sampling: ["Continuous stage; tipping-bucket rain gauges."],
  },
};

export const HBR_9014: SeriesDescription = {
  scope: "knb-lter-hbr",
  identifier: 9014,
  owner: owner("HBR"),
  revisions: [
    {
      revision: 1,
      uploaded: "2021-12-20T16:00:00.000",
      replicated: "2021-12-20T17:10:00.000",
      dataset: { ...EARLIER, pubDate: "2021-12-20", entities: [STREAMFLOW] },
    },
    {
      revision: 2,
      uploaded: "2022-11-03T09:15:40.118",
      replicated: "2022-11-03T10:02:31.500",
      dataset: { ...EARLIER, pubDate: "2022-11-03" },
    },
    {
      revision: 4,
      uploaded: "2024-05-17T14:02:11.204",
      externalSources: [
        { title: "External gridded climate product", url: "https://example.org/climate" },
      ],
      articles: [
        {
          title: "A demonstration of water balances that close",
          doi: "10.5555/demo.2024.0001",
          journal: "Journal of Demonstration Hydrology",
        },
      ],
      reads: [
        [41, 29],
        [63, 50],
        [17, 12],
      ],
      dataset: LATEST,
    },
  ],
  deleted: [
    { revision: 3, uploaded: "2023-01-31T08:20:15.031", deletedAt: "2023-02-01T17:44:02.900" },
  ],
};
