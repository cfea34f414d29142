import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Cell, TextLayout } from "../../src/contract.ts";
import { rawReader, toCells } from "../../src/tables/cells.ts";
import { csvTable } from "../../src/tables/csv-table.ts";

function read(body: string | Uint8Array, layout: TextLayout = {}) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const { columns, notes, rowCount } = csvTable("t", bytes, layout);
  const cells = columns.map(({ type, data }): readonly Cell[] => {
    const raw = rawReader(type, data);
    return toCells(
      type,
      Array.from({ length: data.length }, (_, row) => raw(row)),
    ).values;
  });
  return {
    names: columns.map(({ name }) => name),
    dtypes: columns.map(({ type }) => type.dtype),
    cells,
    notes,
    rowCount,
  };
}

/** One column of texts: its dtype and cells. */
function column(...texts: string[]) {
  const { dtypes, cells } = read(`c,end\n${texts.map((text) => `${text},.`).join("\n")}`);
  return [dtypes[0], ...(cells[0] ?? [])];
}

describe("csvTable, types", () => {
  test.each([
    [
      ["1", "-2", "+3", " 4 "],
      ["int64", 1, -2, 3, 4],
    ],
    [
      ["1", ""],
      ["float64", 1, null],
    ],
    [
      ["1", "2.0"],
      ["float64", 1, 2],
    ],
    [
      ["1e3", ".5", "5.", "-1.5E-3"],
      ["float64", 1000, 0.5, 5, -0.0015],
    ],
    [
      ["0.1", "123456789.123456789", "5e-324"],
      ["float64", 0.1, 123456789.12345679, 5e-324],
    ],
    [
      ["inf", "-inf", "1"],
      ["float64", null, null, 1],
    ],
    [
      ["007", "12"],
      ["string", "007", "12"],
    ],
    [
      ["0", "10"],
      ["int64", 0, 10],
    ],
    [
      ["-0.5", "00.5"],
      ["float64", -0.5, 0.5],
    ],
    [
      ["9007199254740993", "1"],
      ["int64", "9007199254740993", "1"],
    ],
    [
      ["9007199254740993", ""],
      ["int64", "9007199254740993", null],
    ],
    [
      ["18446744073709551615", "1"],
      ["uint64", "18446744073709551615", "1"],
    ],
    [
      ["18446744073709551615", "-1"],
      ["string", "18446744073709551615", "-1"],
    ],
    [["18446744073709551616"], ["string", "18446744073709551616"]],
    [
      ["true", "False", "TRUE"],
      ["bool", true, false, true],
    ],
    [
      ["true", "1"],
      ["string", "true", "1"],
    ],
    [
      ["NA", "n/a", "null", ""],
      ["float64", null, null, null, null],
    ],
    [
      ["a", "NA", "None"],
      ["string", "a", null, null],
    ],
    [
      ["0x10", "1"],
      ["string", "0x10", "1"],
    ],
    [["1_000", "1,"].slice(0, 1), ["string", "1_000"]],
    [["2024-01-02"], ["string", "2024-01-02"]],
    [
      ['"1"', '"2"'],
      ["int64", 1, 2],
    ],
    [
      ["-", "1"],
      ["string", "-", "1"],
    ],
    [
      ["1e", "1"],
      ["string", "1e", "1"],
    ],
  ])("%j is %j", (texts, wanted) => {
    expect(column(...texts)).toEqual(wanted);
  });
});

describe("csvTable, fields and lines", () => {
  test.each([
    [
      "quoted line ends and quotes",
      'a,b\n"x\ny","p""q"\n"\r\n",2\n',
      [
        ["x\ny", "\r\n"],
        ['p"q', "2"],
      ],
    ],
    ["text behind a closing quote", 'a,b\n"x"y,"z" \n', [["xy"], ["z "]]],
    ["quotes inside plain text", 'a,b\nx"y"z,1\n', [['x"y"z'], [1]]],
    [
      "all three line ends in one text",
      "a,b\r\n1,2\n3,4\r5,6",
      [
        [1, 3, 5],
        [2, 4, 6],
      ],
    ],
    [
      "blank lines and lines of blanks",
      "\n \na,b\n\n1,2\n  \n3,4\n\n",
      [
        [1, 3],
        [2, 4],
      ],
    ],
    ["a byte-order mark", "\ufeffa,b\n1,2", [[1], [2]]],
    ["blanks that belong to texts", "a,b\n x,y \n", [[" x"], ["y "]]],
  ])("reads %s", (_, body, wanted) => {
    const { names, cells } = read(body);
    expect(names).toEqual(["a", "b"]);
    expect(cells).toEqual(wanted);
  });

  test.each([
    [";", "a;b\n1;2,5\n"],
    ["\t", "a\tb\n1\t2,5\n"],
    ["|", "a|b\n1|2,5\n"],
  ])("finds out that the delimiter is %j", (_, body) => {
    expect(read(body)).toMatchObject({ names: ["a", "b"], cells: [[1], ["2,5"]] });
  });

  test("names every column once, nameless ones as pandas does", () => {
    expect(read("a,a,,a.1\n1,2,3,4\n").names).toEqual(["a", "a.1", "Unnamed: 2", "a.1.1"]);
  });

  test("takes the first column for row names where the header leaves it out", () => {
    expect(read("x,y\nr1,1,2\nr2,3,4\n")).toMatchObject({
      names: ["Unnamed: 0", "x", "y"],
      cells: [
        ["r1", "r2"],
        [1, 3],
        [2, 4],
      ],
      notes: [],
    });
  });

  test("keeps what is beyond the header, and says which line it is in", () => {
    const table = read("a,b\n1,2\n3,4,5\n6\n");
    expect(table.names).toEqual(["a", "b", "Unnamed: 2"]);
    expect(table.cells).toEqual([
      [1, 3, 6],
      [2, 4, null],
      [null, 5, null],
    ]);
    expect(table.notes.join(" ")).toContain("first in line 3");
    expect(table.notes.join(" ")).toContain("first in line 4");
  });

  test("drops columns of nothing but line-end delimiters", () => {
    expect(read("a,b\n1,2,\n3,4,\n")).toMatchObject({ names: ["a", "b"], rowCount: 2 });
  });

  test("says that a last line without end may be cut off", () => {
    expect(read("a,b,c\n1,2,3\n4,5").notes.join(" ")).toContain("may be cut off");
  });

  test("refuses a text that ends inside quotes, and names the line", () => {
    expect(() => read('a,b\n1,2\n3,"x\n4,5\n')).toThrow("quotes that open in line 3");
  });

  test("reads a header alone as 0 rows, nothing as a note", () => {
    expect(read("a,b\n")).toMatchObject({ names: ["a", "b"], rowCount: 0 });
    expect(read("")).toMatchObject({ names: [], rowCount: 0, notes: ["The answer is empty."] });
  });

  test("refuses bytes that are no text, and more than 20,000 columns", () => {
    expect(() => read(new Uint8Array([0x41, 0, 0x42, 0x0a]))).toThrow("holds bytes that are none");
    expect(() => read(`a\n${",".repeat(20_001)}\n`)).toThrow("more than 20000 columns");
  });
});

describe("csvTable, described layouts", () => {
  test.each<[string, string, TextLayout, (string | number | null)[][]]>([
    ["another quote", "a,b\n'x,y',1\n", { quote: "'" }, [["x,y"], [1]]],
    ["no quotes", 'a,b\n"x,"y"\n', { quote: "" }, [['"x'], ['"y"']]],
    ["an escape", 'a,b\nx\\,y,"p\\"q"\n', { escape: "\\" }, [["x,y"], ['p"q']]],
    ["a delimiter of two characters", "a::b\n1::x:y\n", { delimiter: "::" }, [[1], ["x:y"]]],
    [
      "delimiters that count as one",
      "a  b\n  1   2  \n",
      { delimiter: " ", collapse: true },
      [[1], [2]],
    ],
    ["\\t as people write it", "a\tb\n1\t2\n", { delimiter: "\\t" }, [[1], [2]]],
    ["3 header lines", 'title, "of\nunits\na,b\n1,2\n', { headerLines: 3 }, [[1], [2]]],
    ["2 footer lines", "a,b\n1,2\nsum,,,,9\nend\n", { footerLines: 2 }, [[1], [2]]],
    ["names instead of the header's", "p,q\n1,2\n", { names: ["a", "b"] }, [[1], [2]]],
    ["names without a header", "1,2\n", { headerLines: 0, names: ["a", "b"] }, [[1], [2]]],
    ["comments", "# c\na,b\n#x\n1,2\n", { comment: "#" }, [[1], [2]]],
    [
      "missing-value codes of its own",
      "a,b\n-9999,NA\n1,x\n",
      { missing: ["-9999"] },
      [
        [null, 1],
        ["NA", "x"],
      ],
    ],
    [
      "missing-value codes of a column",
      "a,b\n-1,-1\n2,3\n",
      { missingByColumn: { a: ["-1"] } },
      [
        [null, 2],
        [-1, 3],
      ],
    ],
  ])("reads %s", (_, body, layout, wanted) => {
    const { names, cells } = read(body, layout);
    expect(names).toEqual(["a", "b"]);
    expect(cells).toEqual(wanted);
  });

  test("numbers the columns where nobody names them", () => {
    expect(read("1,2\n3,4\n", { headerLines: 0 })).toMatchObject({
      names: ["0", "1"],
      rowCount: 2,
    });
  });

  test.each([
    ["latin1", "iso-8859-1", []],
    ["utf16le", "utf-16le", []],
    ["latin1", undefined, ["The text is not UTF-8 and names no charset: read as windows-1252."]],
  ] as const)("reads %s described as %s", (written, encoding, notes) => {
    const body = Buffer.from("a,b\nµ,1\n", written);
    const table = read(new Uint8Array(body), encoding === undefined ? {} : { encoding });
    expect(table).toMatchObject({ names: ["a", "b"], cells: [["µ"], [1]], notes });
  });
});

const DATA = join(import.meta.dirname, "../../../shared/data");

/** Dtypes with how often they come in a row. */
const runs = (dtypes: readonly string[]) =>
  dtypes.join().replace(/\b(\w+)(,\1)+\b/g, (all, dtype) => `${dtype}×${all.split(",").length}`);

/** As pandas 3.1.1 reads them: rows, dtypes, and the first and last value of the first four columns. */
describe.skipIf(!existsSync(DATA))("csvTable, instruments' files", () => {
  test.each([
    [
      "bdt/tests__files__arbin_example.csv",
      2142,
      "int64,float64,int64,float64,int64×2,float64×9",
      [1, 2142, 0, 6308.4823, 1499006353, 1499012661, 0.723, 300.0106],
    ],
    [
      "cellpy/testdata__data__neware_uio.csv",
      9065,
      "int64×3,string×3,float64×14,string,float64×3,int64,string",
      [1, 9065, 1, 4, 1, 13, "Rest", "CC Chg"],
    ],
  ])("%s", (file, rows, dtypes, ends) => {
    const table = read(new Uint8Array(readFileSync(join(DATA, file))));
    expect(table.rowCount).toBe(rows);
    expect(runs(table.dtypes)).toBe(dtypes);
    expect(table.cells.slice(0, 4).flatMap((cells) => [cells[0], cells.at(-1)])).toEqual(ends);
  });
});
