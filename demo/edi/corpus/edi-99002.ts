/** edi.99002: seven tables that break a careless reader. Each is laid out as its EML says, except where its description says otherwise. */
import type { EntityDescription, SeriesDescription } from "../model.ts";
import { CC_BY, counted, dated, labelled, measured, owner, SYNTHETIC } from "./pieces.ts";

const latin1 = (text: string) => ({ bytes: Buffer.from(text, "latin1") });
const utf8 = (text: string) => ({ bytes: Buffer.from(text, "utf8") });

/** Semicolons, Latin-1, a line of units under the names, line breaks and doubled quotes inside quotes, two missing codes. */
const NOTES: EntityDescription = {
  kind: "dataTable",
  name: "Lake samples, with field notes, one row per bottle",
  description: "Synthetic. Two header lines: names, then units.",
  fileName: "edi_demo_notes_latin1.csv",
  mediaType: "text/csv",
  encoding: "ISO-8859-1",
  layout: {
    headerLines: 2,
    recordDelimiter: "\\r\\n",
    orientation: "column",
    fieldDelimiter: ";",
    quote: '"',
  },
  attributes: [
    dated("date", "Day of sampling", "DD.MM.YYYY"),
    labelled("station", "Name of the station"),
    measured(
      "temp",
      "Water temperature",
      "celsius",
      {},
      { "-9999": "Sensor broken", NA: "Not taken" },
    ),
    measured("chl", "Chlorophyll a", "microgramPerLiter", {}, { NA: "Not taken" }),
    labelled("note", "Field note, several lines where there was much to say"),
  ],
  records: 6,
  content: latin1(
    [
      "date;station;temp;chl;note",
      ";;°C;µg/L;",
      '03.06.2022;Sjöbod;14.2;3.1;"calm; clear"',
      '04.06.2022;Sjöbod;-9999;2.9;"probe lost\r\nfound again at 14:10"',
      '05.06.2022;"Göl ""Lilla""";15.0;NA;"said ""enough"""',
      "06.06.2022;Sjöbod;NA;3.4;",
      '07.06.2022;Ångnäs;15.8;0.4;"line one\r\n\r\nline three"',
      "08.06.2022;Ångnäs;16.1;0.5;½ bottle",
      "",
    ].join("\r\n"),
  ),
};

/** Tabs named by their code, apostrophes as quotes, no header, two lines at the end that are not data. */
const LOG: EntityDescription = {
  kind: "dataTable",
  name: "Sensor log",
  description: "Synthetic. No header line; two footer lines.",
  fileName: "edi_demo_log.tsv",
  mediaType: "text/tab-separated-values",
  encoding: "UTF-8",
  layout: {
    headerLines: 0,
    footerLines: 2,
    recordDelimiter: "\\r\\n",
    orientation: "column",
    fieldDelimiter: "#x09",
    quote: "'",
  },
  attributes: [
    dated("time", "UTC", "YYYY-MM-DDThh:mm:ssZ"),
    labelled("sensor", "Name of the sensor"),
    measured("value", "Reading; empty when there was none", "volt"),
  ],
  records: 4,
  content: utf8(
    [
      "2022-06-03T00:00:00Z\t'inlet\tupper'\t1.25",
      "2022-06-03T00:10:00Z\tinlet\t1.5e-3",
      "2022-06-03T00:20:00Z\tinlet\t",
      "2022-06-03T00:30:00Z\toutlet\t-0.75",
      "-- end of log --",
      "4 readings",
      "",
    ].join("\r\n"),
  ),
};

/** A byte order mark; the header has other names than the EML and one column more. */
const MISMATCH: EntityDescription = {
  kind: "dataTable",
  name: "Counts by species",
  description: "Synthetic. The header of the file differs from the attribute names on purpose.",
  fileName: "edi_demo_counts.txt",
  mediaType: "text/plain",
  encoding: "UTF-8",
  layout: { headerLines: 1, recordDelimiter: "\\n", orientation: "column", fieldDelimiter: "|" },
  attributes: [
    labelled("species", "Scientific name"),
    counted("count", "Animals seen"),
    labelled("observer", "Initials"),
  ],
  records: 3,
  content: utf8(
    "\ufeffSpecies Name|count|observer|remark\nGavia immer|2|YB|on nest\nLarus canus|11|CH|\nŠvec ostrý|0|YB|none\n",
  ),
};

const FIXED_WIDTH: EntityDescription = {
  kind: "dataTable",
  name: "Rain gauge, fixed width",
  description: "Synthetic. Columns by position: 10, 4 and 7 characters.",
  fileName: "edi_demo_rain.dat",
  mediaType: "text/plain",
  encoding: "US-ASCII",
  layout: { headerLines: 0, recordDelimiter: "\\n", orientation: "column", widths: [10, 4, 7] },
  attributes: [
    dated("date", "Day", "YYYY-MM-DD"),
    labelled("gauge", "Gauge code"),
    measured("rain", "Daily total", "millimeter"),
  ],
  records: 3,
  content: utf8("2022-06-03 RG1    0.0\n2022-06-04 RG1   12.4\n2022-06-05 RG2    3.1\n"),
};

const BLANKS: EntityDescription = {
  kind: "dataTable",
  name: "Tide gauge, separated by runs of blanks",
  description: "Synthetic. Neighbouring delimiters count as one.",
  fileName: "edi_demo_tide.txt",
  mediaType: "text/plain",
  encoding: "UTF-8",
  layout: {
    headerLines: 1,
    recordDelimiter: "\\n",
    orientation: "column",
    fieldDelimiter: "#x20",
    collapseDelimiters: "yes",
  },
  attributes: [
    dated("date", "Day", "YYYYMMDD"),
    dated("time", "Local time", "hhmm"),
    measured("level", "Height above datum", "meter"),
  ],
  records: 4,
  content: utf8(
    "date      time   level\n20220603  0000    1.02\n20220603  0600   -0.31\n20220603  1200    0.98\n20220603  1800   -0.27\n",
  ),
};

const ROWWISE: EntityDescription = {
  kind: "dataTable",
  name: "Transect turned on its side",
  description: "Synthetic. Each line is one attribute: its name, then its values.",
  fileName: "edi_demo_rowwise.csv",
  mediaType: "text/csv",
  encoding: "UTF-8",
  layout: { headerLines: 1, recordDelimiter: "\\n", orientation: "row", fieldDelimiter: "," },
  attributes: [
    measured("distance", "Distance from the shore", "meter"),
    measured("depth", "Depth", "meter"),
  ],
  records: 4,
  content: utf8("distance,0,10,20,30\ndepth,0.1,0.9,1.7,2.6\n"),
};

/** A title above the names; integers beyond 2^53, infinities, exponents, words for truth, five spellings of time. */
const FORMS: EntityDescription = {
  kind: "dataTable",
  name: "Numbers and dates of many forms",
  description: "Synthetic. Three header lines: a title, names, units.",
  fileName: "edi_demo_forms.csv",
  mediaType: "text/csv",
  encoding: "UTF-8",
  layout: {
    headerLines: 3,
    recordDelimiter: "\\n",
    orientation: "column",
    fieldDelimiter: ",",
    quote: '"',
  },
  attributes: [
    labelled("serial", "Serial number of 19 digits"),
    {
      name: "big",
      definition: "Integer beyond 2^53",
      storage: "integer",
      scale: { kind: "ratio", unit: "number", number: "integer" },
    },
    measured(
      "real",
      "Real number in several spellings",
      "dimensionless",
      {},
      { ".": "Not computed" },
    ),
    {
      name: "rank",
      definition: "Order of merit",
      scale: { kind: "ordinal", codes: { "1": "good", "2": "fair", "3": "poor" } },
    },
    labelled("flag", "Truth as a word", { TRUE: "yes", FALSE: "no" }),
    dated("us_date", "American order", "MM/DD/YYYY"),
    dated("stamp", "To the second", "YYYY-MM-DD hh:mm:ss"),
    dated("doy", "Year and day of the year", "YYYYDDD"),
    { ...dated("month", "Month in words", "MON-YYYY"), label: "Month" },
  ],
  records: 5,
  content: utf8(
    [
      "Synthetic numbers,,,,,,,,",
      "serial,big,real,rank,flag,us_date,stamp,doy,month",
      ",number,1,,,,UTC,,",
      "0000000000000000001,9007199254740993,1.0,1,TRUE,06/03/2022,2022-06-03 12:00:00,2022154,Jun-2022",
      "0000000000000000002,-9007199254740995,-1e-7,2,FALSE,06/04/2022,2022-06-04 12:00:01,2022155,Jun-2022",
      "0000000000000000003,12,Inf,3,TRUE,,2022-06-05 12:00:02,2022156,Jun-2022",
      "0000000000000000004,13,-Inf,1,,06/06/2022,,2022157,Jun-2022",
      '0000000000000000005,14,.,2,FALSE,"06/07/2022",2022-06-07 12:00:04,2022158,"Jun-2022"',
      "",
    ].join("\n"),
  ),
};

export const EDI_99002: SeriesDescription = {
  scope: "edi",
  identifier: 99_002,
  owner: owner("EDI"),
  revisions: [
    {
      revision: 1,
      uploaded: "2022-12-24T06:00:00.050",
      replicated: "2022-12-24T08:00:00.000",
      dataset: {
        title: "Demonstration tables with awkward layouts: semicolons, notes, tabs & fixed widths",
        creators: [
          { givenNames: ["Åsa", "K."], surName: "Öberg", organization: "Example Lake Observatory" },
          { givenNames: ["Zoë"], surName: "D'Ángelo" },
        ],
        contacts: [{ givenNames: ["Åsa"], surName: "Öberg", email: "asa@example.org" }],
        pubDate: "2022-12-24",
        language: "English",
        abstract: [`Synthetic tables, each with a layout that readers get wrong. ${SYNTHETIC}`],
        keywords: [{ words: ["file formats", "lakes"], type: "theme" }],
        license: CC_BY,
        coverage: {
          boxes: [
            {
              description: "An invented lake, Småland, Sweden",
              west: "14.8000",
              east: "14.9000",
              north: "57.2000",
              south: "57.1000",
            },
          ],
          periods: [
            { begin: "2022-06-03", end: "2022-06-08" },
            { timescale: "Holocene", age: "11.7 ka to present" },
          ],
        },
        entities: [NOTES, LOG, MISMATCH, FIXED_WIDTH, BLANKS, ROWWISE, FORMS],
      },
    },
  ],
};
